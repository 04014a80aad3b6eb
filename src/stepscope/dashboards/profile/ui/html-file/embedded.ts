// What a saved report contains: the answers of the parts that it shows, as the HTTP API gives them, and what was asked.
import type { HtmlWanted, Inference, Report, Steps, Throughput } from '$api';

export interface EmbeddedAnswers {
  /** What the session is called. */
  name: string;
  wanted: HtmlWanted;
  report: Report;
  steps: Steps;
  inference: Inference;
  throughput: Throughput;
}

export function embeddedAnswers(): EmbeddedAnswers {
  return JSON.parse(document.getElementById('answers')?.textContent ?? '') as EmbeddedAnswers;
}
