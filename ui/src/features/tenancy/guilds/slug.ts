// The same rules for address names as the server's.

export function slugProblem(slug: string): string | null {
  if (!slug) return 'Enter a short name.';
  if (!/^[a-z0-9-]*$/.test(slug)) return 'Use only a-z, 0-9 and hyphens.';
  if (slug.length < 3 || slug.length > 40) return 'Use 3 to 40 characters.';
  if (/^-|-$|--/.test(slug)) return 'Use single hyphens, and only between other characters.';
  return null;
}

export function linkPage(slug: string): string {
  return `${location.origin}/link/${slug}`;
}
