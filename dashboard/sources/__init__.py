"""One typed client for each remote API, and what they share. Nothing here knows the trend, the charts or the pages."""
