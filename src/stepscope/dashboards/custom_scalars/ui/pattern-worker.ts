// Matches patterns beside the page, so that one that never ends can be ended.
import { matchTags } from './patterns';

let tags: readonly string[] = [];

self.onmessage = ({ data }: MessageEvent<{ tags: readonly string[] } | { pattern: string }>): void => {
  if ('tags' in data) tags = data.tags;
  else self.postMessage(matchTags(data.pattern, tags));
};
self.postMessage('ready');
