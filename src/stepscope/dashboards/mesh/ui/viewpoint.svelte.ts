// The viewpoint that all meshes share, so that the same side of each is seen.
import { START, type Viewpoint } from './viewpoint';

class Shared {
  viewpoint = $state.raw<Viewpoint>(START);
}

export const shared = new Shared();
