/** Where menus and lists float: inside the main landmark, so that a screen reader knows where they are. */
export function aloft(): HTMLElement | undefined {
  return document.getElementById('content') ?? undefined;
}
