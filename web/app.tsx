import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { pathAfterSignIn } from './api/kept-invitation.ts';
import { endSessionIfExpired, sessionQuery, type SignedIn } from './api/session.ts';
import { AuthPages } from './auth/auth-pages.tsx';
import { isMailLinkPath } from './auth/mail-link-paths.ts';
import { ErrorAlert } from './parts/error-alert.tsx';
import { useFocusBeforeNavigation } from './parts/heading-focus.ts';
import { PageSkeleton } from './parts/page.tsx';
import { ConnectionBanner } from './shell/connection-banner.tsx';
import { browserZone } from './format/time.ts';
import { loadWithMessages } from './i18n/languages.ts';
import { ZoneProvider } from './format/zone-context.tsx';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { lazyWithRetry } from './parts/lazy-with-retry.ts';

/** Loaded lazily: visitors who are not signed in need only the sign-in form. */
const Shell = lazy(
  lazyWithRetry(async () => ({ default: (await loadWithMessages(() => import('./shell/shell.tsx'))).Shell })),
);
const CampaignsPage = lazy(lazyWithRetry(() => import('./campaigns/list/campaigns-page.tsx')));
const ComposePage = lazy(lazyWithRetry(() => import('./compose/compose-page.tsx')));
const EditCampaignPage = lazy(lazyWithRetry(() => import('./campaigns/edit/edit-page.tsx')));
const CampaignPage = lazy(lazyWithRetry(() => import('./campaigns/detail/campaign-page.tsx')));
const TemplatesPage = lazy(lazyWithRetry(() => import('./templates/templates-page.tsx')));
const UnsentPage = lazy(lazyWithRetry(() => import('./campaigns/unsent/unsent-page.tsx')));
const ApprovalPage = lazy(lazyWithRetry(() => import('./approvals/approval-page.tsx')));
const CalendarPage = lazy(lazyWithRetry(() => import('./calendar/calendar-page.tsx')));
const GroupsPage = lazy(lazyWithRetry(() => import('./groups/groups-page.tsx')));
const FieldsPage = lazy(lazyWithRetry(() => import('./groups/fields/fields-page.tsx')));
const GroupPage = lazy(lazyWithRetry(() => import('./groups/group-page.tsx')));
const ReportPage = lazy(lazyWithRetry(() => import('./report/report-page.tsx')));
const SharedReportPage = lazy(lazyWithRetry(() => loadWithMessages(() => import('./report/shared-report-page.tsx'))));
const AccountPage = lazy(lazyWithRetry(() => import('./account/account-page.tsx')));
const SettingsPage = lazy(lazyWithRetry(() => import('./settings/settings-page.tsx')));
const JoinPage = lazy(lazyWithRetry(() => import('./members/join-page.tsx')));
const UsersPage = lazy(lazyWithRetry(() => import('./users/users-page.tsx')));
const InstallationPage = lazy(lazyWithRetry(() => import('./installation/installation-page.tsx')));
const PhonePage = lazy(lazyWithRetry(() => import('./phone/phone-page.tsx')));

/** `setTimeout` fires at once for longer delays. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Shows the pages to signed-in users and the sign-in form to others. The address stays, so signing in again leads back. */
export function App() {
  const session = useQuery(sessionQuery);
  const [path] = useLocation();
  useExpiry(session.data);
  useFocusBeforeNavigation(path);
  if (path === '/shared-report')
    return (
      <Suspense fallback={<PageSkeleton />}>
        <SharedReportPage />
      </Suspense>
    );
  if (session.isPending) return null;
  if (session.isError) return <ErrorAlert error={session.error} retry={() => void session.refetch()} />;
  if (!session.data || isMailLinkPath(path))
    return (
      <ZoneProvider zone={browserZone()}>
        <ConnectionBanner />
        <AuthPages />
      </ZoneProvider>
    );
  return (
    <ZoneProvider zone={session.data.time_zone}>
      <ConnectionBanner />
      <Suspense>
        <Shell>
          <Suspense fallback={<PageSkeleton />}>
            <Switch>
              <Route path="/" component={CampaignsPage} />
              <Route path="/campaigns/new" component={ComposePage} />
              <Route path="/campaigns/:id">{({ id }) => <CampaignPage key={id} id={id} />}</Route>
              <Route path="/campaigns/:id/change">{({ id }) => <EditCampaignPage key={id} id={id} />}</Route>
              <Route path="/templates" component={TemplatesPage} />
              <Route path="/unsent" component={UnsentPage} />
              <Route path="/approvals/:id">{({ id }) => <ApprovalPage key={id} id={id} />}</Route>
              <Route path="/calendar" component={CalendarPage} />
              <Route path="/groups" component={GroupsPage} />
              <Route path="/groups/fields" component={FieldsPage} />
              <Route path="/groups/:id">{({ id }) => <GroupPage key={id} id={id} />}</Route>
              <Route path="/report" component={ReportPage} />
              <Route path="/account" component={AccountPage} />
              <Route path="/settings" component={SettingsPage} />
              <Route path="/phone" component={PhonePage} />
              <Route path="/join" component={JoinPage} />
              <Route path="/users" component={UsersPage} />
              <Route path="/installation" component={InstallationPage} />
              <Route path="/sign-in">
                <Redirect to={pathAfterSignIn()} replace />
              </Route>
              <Route path="/goodbye">
                <Redirect to="/" replace />
              </Route>
              <Route path="/sign-up">
                <Redirect to="/" replace />
              </Route>
              <Route component={NotFoundPage} />
            </Switch>
          </Suspense>
        </Shell>
      </Suspense>
    </ZoneProvider>
  );
}

/** Ends the session when it expires, not at the first request that fails. */
function useExpiry(session: SignedIn | null | undefined): void {
  const client = useQueryClient();
  const expiresAt = session?.expires_at;
  useEffect(() => {
    if (expiresAt === undefined) return undefined;
    const waitMs = Math.max(0, Date.parse(expiresAt) - Date.now());
    const timer = setTimeout(() => void endSessionIfExpired(client), Math.min(waitMs, MAX_TIMEOUT_MS));
    return () => clearTimeout(timer);
  }, [client, expiresAt]);
}
