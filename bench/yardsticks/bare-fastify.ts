/**
 * The least that Fastify, zod and fast-jwt can do: one operation with the schema and the envelope of preview-campaign, behind a
 * token, that does nothing. Run as a process of its own; says where it listens and which token it takes.
 */
import { createSigner, createVerifier } from 'fast-jwt';
import { fastify, type FastifyReply, type FastifyRequest } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { previewBody, previewData } from '../../src/http/contract/campaigns.ts';

const key = 'a secret of at least thirty-two characters';
const token = createSigner({ key, expiresIn: 3_600_000 })({ sub: '1' });
const verify = createVerifier({ key, cache: true, cacheTTL: 600_000 });

const app = fastify({ logger: false });
app.setValidatorCompiler(validatorCompiler);
app.setSerializerCompiler(serializerCompiler);
app.withTypeProvider<ZodTypeProvider>().route({
  method: 'POST',
  url: '/api/v1/venom/preview-campaign',
  schema: {
    body: previewBody,
    response: {
      200: z.object({
        error: z.literal(false),
        status: z.literal('success'),
        code: z.literal(200),
        data: previewData,
      }),
    },
  },
  onRequest: requireToken,
  handler: async ({ body }) => ({
    error: false as const,
    status: 'success' as const,
    code: 200 as const,
    data: { text: body.html, length: body.html.length, limit: 65_536, warnings: [] },
  }),
});

function requireToken(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  try {
    verify(request.headers.authorization?.slice('Bearer '.length) ?? '');
    done();
  } catch {
    reply.code(401).send();
  }
}

process.once('SIGTERM', () => void app.close());
const url = await app.listen({ host: '127.0.0.1', port: 0 });
console.log(JSON.stringify({ url, token }));
