import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DEFAULT_LANGUAGE, negotiateLanguage, type Language } from '../../platform/i18n/languages.ts';
import { translatorFor } from '../../platform/i18n/load-messages.ts';

/** Seconds after which the browser loads the page again by itself, and a program should. */
const RETRY_SECONDS = 5;

const STYLE =
  'body { margin: 15vh auto; max-width: 32rem; padding: 0 1rem; font: 1.125rem/1.5 system-ui, sans-serif; }';
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Answers 503 with a page in the browser's language: the dashboard is being built. The page needs no script and reloads itself. */
export function sendBuildingPage(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const language = negotiateLanguage(request.headers['accept-language']) ?? DEFAULT_LANGUAGE;
  return reply
    .code(503)
    .headers({
      'retry-after': RETRY_SECONDS,
      refresh: RETRY_SECONDS,
      'content-security-policy': POLICY,
      'content-language': language,
      vary: 'accept-language',
    })
    .send(renderPage(language));
}

function renderPage(language: Language): string {
  const t = translatorFor(language);
  return `<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${t('building.title')} – Campanile</title>
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <h1>${t('building.title')}</h1>
      <p>${t('building.text')}</p>
      <p><a href="">${t('building.reload')}</a></p>
    </main>
  </body>
</html>
`;
}
