"""What has been read: columns by run and file, published lengths, the checkpoint cache, and what users type."""
