import {
  removeService,
  startService,
  type Service,
  type ServiceOptions,
} from '../../../test/support/service/service.ts';

/** Starts a service that stops and removes its folder when it is disposed of. */
export async function startBenchService(options: ServiceOptions = {}): Promise<Service & AsyncDisposable> {
  const service = await startService(options);
  return {
    ...service,
    async [Symbol.asyncDispose]() {
      await service.stop();
      await removeService(service);
    },
  };
}
