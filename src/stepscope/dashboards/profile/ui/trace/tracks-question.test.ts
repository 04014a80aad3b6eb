// The trace asks for the worker of the address, or the first whole one, and for steps only where they are few.
import { expect, it } from 'vitest';
import type { SessionRow } from '$api';
import { tracksQuestion } from './tracks-question';

const workers = [{ worker: 'rank0', problem: null }] as unknown as SessionRow['workers'];

it('is about the whole profile of one worker', () => {
  const asked = tracksQuestion({ id: 'abc', workers }, { worker: '', stepsBy: 'markers' });
  expect(asked).toMatchObject({ session: 'abc', worker: 'rank0', steps: 'markers', range: '' });
  expect(asked.most_steps).toBeGreaterThan(0);
  expect(tracksQuestion({ id: 'abc', workers }, { worker: 'rank7', stepsBy: '' }).worker).toBe('rank7');
});
