"""Memory as MCP tools: each call becomes one request to the REST API, under the same key and the same rules."""
