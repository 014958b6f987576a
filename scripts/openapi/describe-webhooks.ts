import { z } from 'zod';
import { WEBHOOK_EVENTS } from '../../src/api/contract/webhook-events.ts';
import type { DocumentedOperation } from './document-types.ts';
import { simplify } from './document-schemas.ts';

const HEADERS: Readonly<Record<string, string>> = {
  'webhook-id': 'The id of the message, which is the same in all attempts.',
  'webhook-timestamp': 'The Unix time of the attempt, in seconds.',
  'webhook-signature':
    '`v1,` or `v1a,` followed by the signature of `id.timestamp.body`. Several signatures are separated by spaces.',
};

/** Returns the section `webhooks` of the OpenAPI document, one message per event type, and the parts that the messages share. */
export function describeWebhooks(): {
  webhooks: Record<string, { post: DocumentedOperation }>;
  parameters: Record<string, unknown>;
  responses: Record<string, unknown>;
} {
  const parameters = Object.entries(HEADERS).map(([name, description]) => [
    name,
    { name, in: 'header', required: true, description, schema: { type: 'string' } },
  ]);
  const references = Object.keys(HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` }));
  const webhooks = Object.entries(WEBHOOK_EVENTS).map(([type, { summary, data }]) => {
    const message = z.object({ type: z.literal(type), timestamp: z.iso.datetime(), data });
    const { $schema: _, ...inline } = z.toJSONSchema(message, { io: 'input', metadata: z.registry() });
    const schema = simplify(inline);
    const id = data.meta()?.id;
    // Types with the same data share its schema.
    if (id !== undefined) Object.assign(schema.properties ?? {}, { data: { $ref: `#/components/schemas/${id}` } });
    const operation = {
      operationId: type,
      tags: ['Webhooks'],
      summary,
      parameters: references,
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: { '2XX': { $ref: '#/components/responses/MessageReceived' } },
      security: [],
    };
    return [type, { post: operation }] as const;
  });
  return {
    webhooks: Object.fromEntries(webhooks),
    parameters: Object.fromEntries(parameters) as Record<string, unknown>,
    responses: {
      MessageReceived: { description: 'Success. Any other answer is retried; 410 disables the webhook.' },
    },
  };
}
