"""From what was computed to what a template prints. No reading, no drawing."""
