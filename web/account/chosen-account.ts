import { createContext, use } from 'react';

const ChosenAccount = createContext<number | undefined>(undefined);

/** Says which account the components inside are about; undefined: the default one. */
export const ChosenAccountProvider = ChosenAccount.Provider;

/** Returns the id of the account that the page is about; undefined: the default account, which requests mean without an id. */
export function useChosenAccountId(): number | undefined {
  return use(ChosenAccount);
}
