"""One file per framework: its own way of logging, on top of our writer. No framework is loaded before it is used."""
