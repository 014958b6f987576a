import { create as contentDisposition } from 'content-disposition';
import { getMedia } from '../../../sending/campaigns/read/get-media.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { fileNameOf } from '../../../content/media/file-name.ts';
import { getMediaBody, getMediaData } from '../../contract/get-media.ts';
import { defineOperation, type Operation } from '../../operation.ts';

/** Of the hash, for a file that has no name of its own. */
const NAME_CHARACTERS = 12;

export function getMediaOperation(deps: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/venom/get-media',
    access: 'bearer',
    scope: 'read',
    tag: 'Campaigns',
    summary: 'Download a file that you sent along with a campaign',
    description:
      'Its bytes, as the type that they were recognised as. They never change, so they may be kept for as long as you like. A failure is answered in the usual envelope.',
    body: getMediaBody,
    data: getMediaData,
    answerType: '*/*',
    answerHeaders: {
      'cache-control': 'That you, and nobody in between, may keep it.',
      'content-disposition': 'A file name made of the hash.',
    },
    shedFirst: true,
    longAnswer: 'pieces',
    errors: [404],
    async handle({ body, actor, setHeader }) {
      const { mime, extension, size, pieces } = await getMedia(deps, actor, body.sha256);
      setHeader('content-type', mime);
      setHeader('content-length', String(size));
      setHeader(
        'content-disposition',
        contentDisposition(fileNameOf(body.sha256.slice(0, NAME_CHARACTERS), extension)),
      );
      setHeader('cache-control', 'private, max-age=31536000, immutable');
      // Opened by itself in a browser, it runs nothing and is of no origin.
      setHeader('content-security-policy', "sandbox; default-src 'none'; frame-ancestors 'none'");
      return pieces;
    },
  });
}
