"""TensorBoard's hparams plugin: what runs logged, the experiment they make, session groups, and tables of them."""
