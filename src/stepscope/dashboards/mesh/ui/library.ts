// The meshes of the folder.
import { LoggedLibrary } from '$web/media/library.svelte';

export const library = new LoggedLibrary('mesh');
