"""The shapes of the answers, one struct each: what is encoded, and what the OpenAPI document says."""
