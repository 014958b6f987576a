/** Writes `src/api/contract/openapi.json`, the document that a service serves: `npm run openapi`, after a change of the API. Read its diff. */
import { writeFileSync } from 'node:fs';
import { DOCUMENT_FILE } from '../src/api/server/serve-document.ts';
import { createDocument } from './openapi/create-document.ts';

writeFileSync(DOCUMENT_FILE, `${JSON.stringify(await createDocument(), undefined, 1)}\n`);
