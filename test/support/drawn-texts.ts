import type { Page } from 'playwright-core';

/** Texts in the canvas of the chart, with the pixel at which each begins. */
export interface DrawnText {
  readonly text: string;
  readonly left: number;
}

const RECORD_TEXTS = `
  window.drawn = [];
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, ...rest) {
    const { a, e } = this.getTransform();
    const share = { right: 1, end: 1, center: 0.5 }[this.textAlign] ?? 0;
    window.drawn.push({ text, left: a * (x - share * this.measureText(text).width) + e });
    return fillText.call(this, text, x, ...rest);
  };`;

/** Records the texts that a page draws from then on. */
export const recordDrawnTexts = (page: Page): Promise<unknown> => page.addInitScript(RECORD_TEXTS);

export const drawnTexts = (page: Page): Promise<readonly DrawnText[]> => page.evaluate('window.drawn');
