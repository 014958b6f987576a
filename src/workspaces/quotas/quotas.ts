/** The limits of each workspace on shared resources (contract §2). */
export interface Quotas {
  /** Of the files that are kept for it. */
  storedBytes: number;
  /** Campaigns under way or planned. */
  openCampaigns: number;
  /** Groups, communities and channels created within 24 hours, by the messenger; where one is not named there is no limit. */
  groupsPerDay: Readonly<Partial<Record<string, number>>>;
}

/** Where the operator says nothing else. */
export const QUOTAS: Quotas = {
  storedBytes: 2 * 1024 ** 3,
  openCampaigns: 10_000,
  groupsPerDay: { whatsapp: 100 },
};
