// Saves what a job makes. A small file is there at once; a large one is a job in the top bar, and is saved when it is done.
import { apiAddress } from '../api/client';
import type { Job } from '../api/jobs';
import { openDownload } from '../widgets/clipboard';
import { jobs } from './jobs.svelte';
import { messages } from './messages.svelte';

/** The finished job; null when it could not be started. */
export async function saveMade(started: Promise<Job>, name: string): Promise<Job | null> {
  try {
    const job = await jobs.finished(await started);
    if (job.result_at !== null) openDownload(apiAddress(job.result_at), name);
    return job;
  } catch (error) {
    messages.fail(error);
    return null;
  }
}
