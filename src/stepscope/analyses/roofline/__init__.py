"""What operations achieve beneath what the device allows."""
