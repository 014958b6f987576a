import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { callWithHeaders } from '../../api/call.ts';
import type { Analytics, Campaign } from '../../api/operations.ts';
import { clockTime } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import { Icon } from '../../parts/icons.tsx';
import { notifyError } from '../../parts/notify.ts';
import { Section } from '../../parts/page.tsx';
import textClasses from '../../parts/text.module.css';
import { DeletedPost, Post } from '../../whatsapp/bubble.tsx';
import { Phone } from '../../whatsapp/phone.tsx';
import { PinnedLine, Quote } from '../../whatsapp/quote.tsx';
import { shownText } from '../../compose/reach.ts';
import { RevisionButtons } from './revision-buttons.tsx';
import { downloadFile } from '../../parts/download-file.ts';
import { t } from '../../i18n/translate.ts';

/** The post as members of the first group see it now. */
export function PostPreview({ post, analytics }: { post: Campaign; analytics: Analytics }) {
  const { groups, runs, totals } = analytics;
  const zone = useZone();
  const first = groups.find((group) => group.sent > 0) ?? groups[0];
  const isSent = first !== undefined && first.sent > 0;
  const kind = first?.kind ?? 'group';
  const next = runs.find((run) => run.status === 'planned');
  const at = first?.first_sent_at ?? next?.due_at ?? runs[0]?.due_at ?? post.created_at;
  const time = clockTime(at, zone);
  // Nobody has seen it, and nobody will.
  const isOver = analytics.campaign.finished_at !== null;
  const isDeleted = isSent && (first.recalled ?? 0) >= first.sent;
  return (
    <Section title={t(isSent ? 'campaign.asSeen' : isOver ? 'campaign.post' : 'campaign.asWillBeSeen')}>
      <Phone name={first?.group_name ?? ''} kind={kind} participants={first?.participants ?? null}>
        {isDeleted ? (
          <DeletedPost time={time} kind={kind} />
        ) : (
          <>
            {(first?.pinned ?? 0) > 0 && <PinnedLine />}
            <Post
              text={shownText(post.text, { mentionAll: post.mention_all && (first?.mentions_left_out ?? 0) === 0 })}
              media={post.media}
              files={post.files}
              poll={post.poll}
              event={post.event}
              card={post.link_preview}
              time={time}
              kind={kind}
              isEdited={isSent && (first.corrected ?? 0) > 0}
              quote={post.reply_to && totals.quotes !== 0 && <Quote campaignId={post.reply_to.campaign_id} />}
            />
          </>
        )}
      </Phone>
      <Downloads post={post} />
      <RevisionButtons analytics={analytics} asks={post.poll !== null || post.event !== null} />
    </Section>
  );
}

/** The files of the library, or the one that came with the campaign. */
function filesOf({ files, media, file_name }: Pick<Campaign, 'files' | 'media' | 'file_name'>) {
  if (files.length > 0) return files.map(({ sha256, file_name: name }) => ({ sha256, name }));
  return media ? [{ sha256: media.sha256, name: file_name }] : [];
}

/** A button for each file once. One of several bears the name of its file. */
function Downloads({ post }: { post: Campaign }) {
  const files = [...new Map(filesOf(post).map((file) => [file.sha256, file])).values()];
  if (files.length === 0) return null;
  return (
    <Group gap="xs" mt="sm">
      {files.map(({ sha256, name }) => (
        <Download
          key={sha256}
          sha256={sha256}
          name={name ?? post.name}
          label={files.length > 1 && name !== null ? t('campaign.downloadOf', { name }) : t('campaign.download')}
        />
      ))}
    </Group>
  );
}

function Download({ sha256, name, label }: { sha256: string; name: string; label: string }) {
  const loading = useMutation({
    mutationFn: async () => {
      const { data, headers } = await callWithHeaders('venom/get-media', { sha256 });
      const [, extension = 'bin'] = /\.(\w+)"?$/.exec(headers.get('content-disposition') ?? '') ?? [];
      downloadFile(data, name, extension);
    },
    onError: notifyError,
  });
  return (
    <Button
      maw="100%"
      size="xs"
      variant="default"
      leftSection={<Icon name="download" size={14} />}
      loading={loading.isPending}
      onClick={() => loading.mutate()}
    >
      <span className={textClasses.clip} title={label}>
        {label}
      </span>
    </Button>
  );
}
