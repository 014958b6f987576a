/** One campaign of each kind of post, and a draft of the same, for pictures of the campaign page and of the composer. */
import { randomUUID } from 'node:crypto';
import { drawPng } from '../test/support/inputs/draw-png.ts';
import { film } from '../test/support/inputs/films.ts';
import { upload } from '../test/support/upload.ts';

const MINUTE_MS = 60_000;

type Call = (path: string, body: unknown) => Promise<{ body: { data: unknown } }>;

/** Sends each kind to the groups. Resolves to the paths to look at, by name. */
export async function addPostKinds(
  { url, token, call, settle }: { url: string; token: string; call: Call; settle: () => Promise<void> },
  groupIds: readonly number[],
): Promise<Record<string, string>> {
  const media = await uploadFiles(url, token);
  const bodies = listBodies(media);
  const paths: Record<string, string> = {};
  let previous = '';
  for (const [kind, body] of Object.entries(bodies)) {
    // A post that was not sent yet cannot be quoted.
    if (kind === 'reply') await settle();
    const post = {
      ...body,
      group_metadata_ids: groupIds,
      ...(kind === 'reply' && { reply_to: { campaign_id: previous } }),
    };
    const sent = (await call('venom/add-campaign', { name: `A post with a ${kind}`, ...post })).body.data;
    previous = (sent as { campaign_id: string }).campaign_id;
    paths[`campaign-${kind}`] = `/campaigns/${previous}`;
    const draft_id = randomUUID();
    await call('venom/save-draft', { draft_id, version: 0, ...post });
    paths[`compose-${kind}`] = `/campaigns/new?draft=${draft_id}`;
  }
  await settle();
  return paths;
}

async function uploadFiles(url: string, token: string) {
  const put = async (name: string, bytes: Buffer, type?: string) => {
    const { status, body } = await upload(url, token, bytes, { name, ...(type !== undefined && { type }) });
    if (status !== 200) throw new Error(`${name}: ${body.message}`);
    return { media_id: body.data.media_id };
  };
  return {
    wide: await put('The square on the morning of the fair.png', drawPng(640, 360)),
    tall: await put('Poster.png', drawPng(300, 420)),
    film: await put('Trailer.mp4', film({ bytes: 300_000 })),
    document: await put(
      'Programme of the spring fair with all stalls and their places.pdf',
      Buffer.from('%PDF-1.4 fair'),
    ),
  };
}

function listBodies({ wide, tall, film, document }: Awaited<ReturnType<typeof uploadFiles>>): Record<string, object> {
  const picture = drawPng(480, 250).toString('base64');
  return {
    card: {
      html: '<p>Everything about the fair: https://example.org/fair</p>',
      link_preview: {
        url: 'https://example.org/fair',
        title: 'Spring fair on the square of the old town, from nine in the morning',
        description: 'Cake, tea and music. Children and dogs are welcome.',
        image: picture,
      },
    },
    album: {
      html: '<p>Three of last year, and the trailer.</p>',
      media: [wide, { ...tall, caption: 'The poster' }, wide, film],
    },
    film: { html: '<p>The trailer.</p>', media: [film] },
    document: { html: '', media: [document] },
    poll: {
      html: '',
      poll: {
        question: 'On which day shall we meet on the square to put up the tents and tables?',
        options: ['Saturday', 'Sunday, after church, if it does not rain', 'I cannot come'],
        multiple: true,
        names_voters: true,
      },
    },
    event: {
      html: '',
      event: {
        name: 'Spring fair',
        description: 'Bring a cake. There is tea.',
        place: 'The square behind the old railway station, Mill Street 14',
        start_at: new Date(Date.now() + 3 * 24 * 60 * MINUTE_MS).toISOString(),
      },
    },
    mention: { html: '<p>The bus leaves at eight, from the church.</p>', mention_all: true, pin_for: '7d' },
    reply: { html: '<p>It is full now.</p>' },
  };
}
