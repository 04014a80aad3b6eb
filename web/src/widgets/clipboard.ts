// Copies text and saves files, and says so.
import { messages } from '../state/messages.svelte';

export async function copyText(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    messages.say(said);
  } catch {
    messages.fail('The browser does not allow copying. Select the text and copy it yourself.');
  }
}

export function saveAs(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  openDownload(address, name);
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function openDownload(address: string, name: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}

/** A name that every file system takes. */
export function fileName(tag: string, ending: string): string {
  return `${tag.replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, 120) || 'chart'}.${ending}`;
}
