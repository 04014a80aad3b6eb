"""TensorBoard's plugins inside Stepscope: found by entry points, given TensorBoard's contract, kept from harming the rest."""
