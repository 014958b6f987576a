import swagger from '@fastify/swagger';
import { fastify, type FastifySchema } from 'fastify';
import { createJsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { listContracts } from '../../src/api/contract/contract.ts';
import {
  acceptedScopes,
  type Access,
  type OperationContract,
  type RequiredRole,
  type Tag,
} from '../../src/api/contract/define-operations.ts';
import { success } from '../../src/api/contract/envelope.ts';
import { eventsOperation, streamedEvent } from '../../src/api/contract/events.ts';
import { describeOperations } from './describe-operations.ts';
import type { OpenApiDocument } from './document-types.ts';
import { describeWebhooks } from './describe-webhooks.ts';
import { inherit, mergeInputs, nameSchemas, simplify, withoutUnused } from './document-schemas.ts';

const ACCESS: Readonly<Record<Access, string>> = {
  open: 'Takes no token.',
  read: 'Scope: `read`.',
  write: 'Scope: `write` or `send`.',
  send: 'Scope: `send`.',
  webhooks: 'Scope: `webhooks` or `admin`.',
  admin: 'Scope: `admin`.',
  token: 'Takes no API key.',
};
const TAGS: Readonly<Record<Tag | 'Events', string>> = {
  Users: 'Sign-up, sign-in, profile, second factors, sessions and API keys.',
  Workspaces: 'Workspaces that several people share, their members and invitations.',
  Campaigns: 'Campaigns that are sent now or on a schedule, their runs, drafts and files.',
  Media: 'Files of your workspace: upload them once and use them in any campaign.',
  Groups: 'Groups, communities and channels, and saved lists of them.',
  Account: 'The link to the messaging application, and the rules for sending.',
  Analytics: 'Deliveries, receipts and reactions.',
  Webhooks:
    'Endpoints that receive events as POST requests of `{type, timestamp, data}`, following [Standard Webhooks](https://www.standardwebhooks.com/). Verify the signature of each message and answer 2xx within 15 s. `docs/how-to/receive-webhooks.md`, which comes with the service, has receivers in JavaScript and Python.',
  Notices: 'Notices of events, in the dashboard, in browsers and by e-mail.',
  Sandbox: 'Messages on the sandbox, the messaging application for tests.',
  Administration: 'For administrators: users, invitations and the installation.',
  Events: 'A stream of live events.',
};
const DESCRIPTION = `Messaging campaigns for groups, communities and channels. All operations are POST requests with a JSON body, except the stream of live events and the upload of a file.

Every answer has the header \`x-request-id\`: the id of the request in the log.

An answer has the header \`x-campanile-warnings\` if parts of the request were ignored, such as an unknown field: quoted sentences, separated by commas. In brackets they are a JSON array. With the request header \`Prefer: handling=strict\` such a request is a 400.`;

const SECURITY_SCHEMES = {
  token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token of `authorize_user`.' },
  api_key: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key of `create_api_key`. The required scope of the key stands beside the scheme.',
  },
} as const;

/** Returns the OpenAPI document of these operations, without the version and the address of a service. */
export async function createDocument(
  operations: readonly OperationContract[] = listContracts(),
): Promise<OpenApiDocument> {
  const server = fastify();
  server.setValidatorCompiler(() => () => true);
  server.setSerializerCompiler(() => JSON.stringify);
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Campanile',
        version: '',
        contact: { name: 'The operator of this service' },
        license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
        description: DESCRIPTION,
      },
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    transform: createJsonSchemaTransform({}),
    transformObject: jsonSchemaTransformObject,
  });
  for (const operation of operations) server.post(operation.path, { schema: schemaOf(operation) }, () => undefined);
  server.get(eventsOperation.path, { exposeHeadRoute: false, schema: schemaOfEvents() }, () => undefined);
  await server.ready();
  const document = server.swagger() as unknown as OpenApiDocument;
  await server.close();
  return completeDocument(document, operations);
}

function schemaOf(operation: OperationContract): FastifySchema {
  const { access, answerType, body, data, path, summary, tag, takesFile } = operation;
  const answer = answerType
    ? { [answerType]: { schema: answerType === '*/*' ? z.string().meta({ format: 'binary' }) : z.string() } }
    : { 'application/json': { schema: success(data) } };
  return {
    operationId: operation.operationId ?? path.slice(path.lastIndexOf('/') + 1),
    tags: [tag],
    summary,
    ...describe(operation),
    ...(takesFile && { consumes: ['application/octet-stream'] }),
    body,
    response: { 200: { description: 'Success', content: answer } },
    security: securityOf(access),
  };
}

function schemaOfEvents(): FastifySchema {
  const { access, description, headers, query, summary } = eventsOperation;
  // Generators make one name of `last_event_id` and `last-event-id`; the query parameter works for all clients, and says what the header does.
  const named = headers.omit({ 'last-event-id': true });
  return {
    operationId: 'events',
    tags: ['Events'],
    summary,
    description,
    security: securityOf(access),
    querystring: query,
    headers: named,
    response: {
      200: { description: 'The event stream', content: { 'text/event-stream': { schema: streamedEvent } } },
    },
  };
}

/** Returns the credentials that an operation accepts: any of them. The scopes of an API key are the roles of OpenAPI 3.1. */
function securityOf(access: Access): Array<Record<string, string[]>> {
  if (access === 'open') return [];
  return [{ token: [] }, ...acceptedScopes(access).map((scope) => ({ api_key: [scope] }))];
}

function describe({ access, role, description, requiresRecentAuth }: OperationContract): { description: string } {
  const sentences = [description, `${ACCESS[access]}${roleSentence(role)}`, requiresRecentAuth && RECENT_AUTH];
  return { description: sentences.filter((sentence) => typeof sentence === 'string').join('\n\n') };
}

function roleSentence(role: RequiredRole = 'none'): string {
  return role === 'none' ? '' : ` Role: \`${role}\`.`;
}

const RECENT_AUTH = 'Needs an authentication within the last 10 minutes (`user/confirm_identity`).';

/** Adds what Fastify's route schemas cannot express. */
function completeDocument(document: OpenApiDocument, operations: readonly OperationContract[]): OpenApiDocument {
  const described = describeOperations(simplify(document), operations);
  const { webhooks, parameters, responses } = describeWebhooks();
  const components = {
    ...described.components,
    parameters: { ...described.components.parameters, ...parameters },
    responses: { ...described.components.responses, ...responses },
  };
  return inherit(nameSchemas(withoutUnused(mergeInputs({ ...described, components, webhooks }))));
}
