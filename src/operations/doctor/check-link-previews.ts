import type { AllowedHosts } from '../../platform/network/allowed-hosts.ts';
import { createSafeHttpClient, type EgressOptions } from '../../platform/http-client/safe-http-client.ts';
import { describeError, ok, warn, type Results } from './finding.ts';

/** Accounts need this host in any case, so that no other site learns of the check. */
const PUBLIC_PAGE = 'https://web.whatsapp.com/';

export interface LinkPreviewsConfigured {
  linkPreviews: { isEnabled: boolean; allowed: AllowedHosts; fetchMs: number } & Pick<EgressOptions, 'proxy'>;
}

/**
 * Checks that the pages of links can be fetched from here, by the client that fetches them (SSRF protection, HTTPS_PROXY). Any answer
 * will do.
 */
export async function checkLinkPreviews(
  { linkPreviews: { isEnabled, allowed, proxy, fetchMs } }: LinkPreviewsConfigured,
  page = PUBLIC_PAGE,
): Promise<Results> {
  if (!isEnabled) return ok('LINK_PREVIEWS is false: links have only the previews that their authors write');
  const client = createSafeHttpClient({ allowHttp: true, allowed, timeoutMs: fetchMs, ...(proxy && { proxy }) });
  try {
    const { status } = await client.get(page, { headers: {}, maxBytes: 1_024 });
    return ok(`Pages of links can be fetched: ${new URL(page).host} answers (HTTP ${status})`);
  } catch (error) {
    return warn(
      `Pages of links cannot be fetched, so links are sent without a preview: ${new URL(page).host}: ${describeError(error)}`,
      'Allow connections from this machine to public sites on ports 80 and 443, and DNS lookups, or set HTTPS_PROXY. Or set LINK_PREVIEWS=false.',
    );
  } finally {
    client.close();
  }
}
