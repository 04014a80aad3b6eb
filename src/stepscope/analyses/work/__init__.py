"""What host and devices did, in tables: operations, kernels, copies, modules, and their arithmetic."""
