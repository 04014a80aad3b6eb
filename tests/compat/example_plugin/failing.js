// A module that fails to draw.
export function render() {
  throw new Error('nothing to draw');
}
