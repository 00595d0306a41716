// The one place where a page of the server becomes a document. The server's templates escape everything that people typed,
// and have no scripts; whatever has one is none of them.

interface Policy {
  createHTML(html: string): string;
}
interface Factory {
  createPolicy(name: string, rules: Policy): Policy;
}

const { trustedTypes } = globalThis as { trustedTypes?: Factory };
const policy = trustedTypes?.createPolicy('link-page-preview', { createHTML: refuseScripts });

/** Marked as safe where the browser asks for it. */
export function trusted(html: string): string {
  return policy ? policy.createHTML(html) : refuseScripts(html);
}

function refuseScripts(html: string): string {
  if (/<(script|iframe|object|embed)\b/i.test(html)) throw new TypeError('A page with a script in it is no preview.');
  return html;
}
