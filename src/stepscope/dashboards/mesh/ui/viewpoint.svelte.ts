// The viewpoint that all meshes share, so that the same side of each is seen; the address keeps it.
import { view } from '$web/state/choices.svelte';
import { numbersOf, START, viewpointOf, type Viewpoint } from './viewpoint';

class Shared {
  get viewpoint(): Viewpoint {
    return viewpointOf(view.viewpoint);
  }

  set viewpoint(next: Viewpoint) {
    view.viewpoint = next === START ? null : numbersOf(next);
  }

  get isStart(): boolean {
    return view.viewpoint === null;
  }
}

export const shared = new Shared();
