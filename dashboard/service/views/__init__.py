"""The routes, one module a family. Each view reads its query, loads within the caller's workspace, and answers."""
