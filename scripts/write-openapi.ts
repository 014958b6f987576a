/** Rewrites `test/contract/openapi.json` after an intended change of the API: `npm run openapi`. Read its diff. */
import { writeFileSync } from 'node:fs';
import { OPENAPI_FIXTURE, readDocumentStructure } from '../test/support/http/document-structure.ts';

writeFileSync(OPENAPI_FIXTURE, `${JSON.stringify(await readDocumentStructure(), undefined, 1)}\n`);
