// Copying what is still on its way.

/**
 * Copies a text that has to be fetched first. Some browsers take a text only within the click itself, so they are handed
 * the promise of it. False when the browser does not let us; a failure of the text is thrown.
 */
export async function copyLater(text: Promise<string>): Promise<boolean> {
  try {
    const item = new ClipboardItem({ 'text/plain': text.then((plain) => new Blob([plain], { type: 'text/plain' })) });
    await navigator.clipboard.write([item]);
    return true;
  } catch {
    const plain = await text;
    return copyNow(plain);
  }
}

async function copyNow(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
