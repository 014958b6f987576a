/** The limits of each workspace on shared resources (contract §2). */
export interface Quotas {
  /** Bytes of the workspace's stored files. */
  storedBytes: number;
  /** Campaigns under way or planned. */
  openCampaigns: number;
  /** Groups, communities and channels created within 24 hours, by the messenger; where one is not named there is no limit. */
  groupsPerDay: Readonly<Partial<Record<string, number>>>;
  accounts: number;
}

/** The default limits. */
export const QUOTAS: Quotas = {
  storedBytes: 2 * 1024 ** 3,
  openCampaigns: 10_000,
  groupsPerDay: { whatsapp: 100 },
  accounts: 10,
};
