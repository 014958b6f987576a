/** The descriptions of the server and its tools for a model, which knows nothing else about them. */

export const INSTRUCTIONS = `Campanile sends messages ("campaigns") to WhatsApp groups, communities and channels that its user is in. Everything here is done as the user whose API key is used. A message that was sent reaches real people and cannot be taken back without a trace.

To know whose account it is and in which time zone dates are meant: get_account. To send: find_groups for the ids, check_campaign with the text, show your user what the check answers (the very text, how many groups, when, warnings), and only when they agree send_campaign with the check_id. To leave the sending to a person, save_draft.

Messages are written in HTML with these tags alone: h1-h6, b, strong, i, em, p, br, a, ul, ol, li, span.`;

export const ABOUT = {
  get_account:
    'Shows whose account this is: the user name, the time zone in which dates and times are meant, the linked WhatsApp number, and whether it is connected. While it is not connected, campaigns wait.',
  find_groups:
    'Finds the chats that messages can be sent to: groups, communities (a message to one goes to its announcement group) and channels (broadcast to followers). Answers the ids that the other tools take, with names and sizes. can_send is false where only admins may post and the user is none.',
  find_files:
    'Finds the files of the library by name, newest first: pictures, films, sounds and documents that campaigns can have. Answers the media_id that check_campaign and save_draft take. Members see the name of a document, which is that of its upload unless another is given. People upload files in the dashboard, programs with the operation media/upload.',
  preview_message:
    'Shows the exact text that a message written in HTML becomes in WhatsApp, with its length and warnings. Sends nothing and keeps nothing.',
  check_campaign:
    'Tries out a campaign without sending it: the exact text, the preview of its link, when it would go out, problems of single groups, warnings, and how many seconds sending takes. Answers a check_id, which send_campaign asks for, good for 30 minutes. Without schedule it is about sending at once; with schedule about once on each date at a time of day. With poll or event it asks the members a question, or whether they come, in place of a text: html is then empty, and there are no channels among the groups. The answer repeats what is asked. Always show the answer to your user before you send.',
  send_campaign:
    'Sends, or schedules, exactly what check_campaign was given, to real people: it cannot be undone. Takes the check_id of that check and nothing else. Do it only after your user has seen the answer of the check and has agreed. To call it again with the same check_id sends nothing twice. The API key needs the scope "send".',
  save_draft:
    'Keeps an unfinished campaign, poll or event in the dashboard, where a person reads, changes and sends it. Sends nothing. The API key needs the scope "send".',
  pause_campaign:
    'Pauses a scheduled or running campaign: no further posts are sent until a person resumes it in the dashboard. The posts being sent at this moment may still go out. The API key needs the scope "send".',
  cancel_campaign:
    'Cancels a scheduled or running campaign for good: posts that were not sent yet are never sent, and those that were sent stay. Do it only after your user has agreed. The API key needs the scope "send".',
  list_campaigns:
    'Lists campaigns, newest first: what was sent, is being sent or is scheduled, with their ids, states and how many posts were sent or failed. One post is what one group gets of one run.',
  read_analytics:
    'Returns the results of one campaign: how many posts were sent, failed or wait, how many people got and read it, reactions and replies, and the same for its groups, those that failed first, 50 at most. A value that the messaging application does not report is null.',
  read_poll:
    'Returns the answers to the poll or event of one campaign: the votes of each option (of an event going, maybe and not_going), how many members have voted, and the same for its groups, those with the most voters first, 50 at most. Each member counts once, with the newest vote.',
  read_overview:
    'Adds up all campaigns of the last days: posts sent and failed, people reached, the part of them who read, and the same for each day.',
} as const;
