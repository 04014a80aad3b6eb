// The trash on the server: what deleting runs would move, moving, restoring, and deleting for good.
import type { PlannedFolder, TrashAnswer, TrashedFolder } from '$api';
import { getJson, postJson } from './client';
import { addressOf } from './routes';

export type { PlannedFolder, TrashAnswer, TrashedFolder };

export const planTrash = async (runs: readonly string[]): Promise<PlannedFolder[]> =>
  (await postJson('trash/plan', { runs: [...runs] })).folders;

/** `also` are the other runs in the folders, which the user was shown. */
export const moveToTrash = (runs: readonly string[], also: readonly string[], liveToo: boolean): Promise<TrashAnswer> =>
  postJson('trash/move', { runs: [...runs], also: [...also], live_too: liveToo });

export const fetchTrash = async (): Promise<TrashedFolder[]> => (await getJson(addressOf('trash', {}))).folders;

export const restoreFolders = (folders: readonly string[]): Promise<TrashAnswer> =>
  postJson('trash/restore', { folders: [...folders] });

export const deleteForGood = (folders: readonly string[]): Promise<TrashAnswer> =>
  postJson('trash/delete', { folders: [...folders] });
