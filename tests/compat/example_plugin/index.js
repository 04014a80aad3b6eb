// The page of the example: says what it was told by its own routes, by the page around it, and what it may not load.
function talk() {
  const { port1, port2 } = new MessageChannel();
  window.parent.postMessage('experimental.bootstrap', '*', [port2]);
  return new Promise((resolve) => {
    port1.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.isReply) resolve(message.payload);
    };
    port1.postMessage(JSON.stringify({ type: 'experimental.GetRuns', id: 1, payload: null, error: null, isReply: false }));
  });
}

async function refused(url) {
  try {
    await fetch(url, { mode: 'no-cors' });
    return false;
  } catch {
    return true;
  }
}

function line(id, text) {
  const part = document.createElement('p');
  part.id = id;
  part.textContent = text;
  document.body.append(part);
}

export async function render() {
  const facts = await (await fetch('./facts')).json();
  line('routes', `Hello ${facts.runs.join(', ')}`);
  line('messages', `Runs: ${(await talk()).toSorted().join(', ')}`);
  line('outside', `outside ${await refused('https://outside.example/x')}, api ${await refused('/api/v1/folder')}`);
}
