package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recording"
)

// Selection says which messages of a recording to export.
type Selection struct {
	Topics recording.Patterns // empty: all topics
	From   time.Duration      // time since the first message of the recording
	For    time.Duration      // 0: to the end
}

// Validate reports every value that is out of range.
func (s Selection) Validate() error {
	errs := []error{s.Topics.Validate()}
	if s.From < 0 {
		errs = append(errs, fmt.Errorf("from = %v: must not be negative", s.From))
	}
	if s.For < 0 {
		errs = append(errs, fmt.Errorf("for = %v: must not be negative", s.For))
	}
	return errors.Join(errs...)
}

// selected is the part of a recording that a Selection matches.
type selected struct {
	reader   *recording.Reader
	channels map[*recording.ChannelInfo]bool
	from, to time.Duration // log times; to is exclusive; a to of 0 means the end of the recording
}

// pick applies the selection to the channels for which keep returns true, or to all channels if keep is nil. what is a
// word for such channels, for errors. pick fails if a pattern matches no topic, if a topic has none of the encodings,
// and if the recording ends before From.
func (s Selection) pick(r *recording.Reader, what string, keep func(*recording.ChannelInfo) bool,
	encodings ...string) (p *selected, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", r.Path(), err)
		}
	}()
	if err := s.Validate(); err != nil {
		return nil, err
	}
	p = &selected{reader: r, channels: map[*recording.ChannelInfo]bool{}}
	patterns := s.Topics
	if len(patterns) == 0 {
		patterns = recording.Patterns{"*"}
	}
	all := r.Channels()
	for i := range patterns {
		one, found := patterns[i:i+1].Compile(), false
		for _, c := range all {
			if one.MatchString(c.Topic) && (keep == nil || keep(c)) {
				p.channels[c], found = true, true
			}
		}
		if !found && len(s.Topics) > 0 {
			return nil, fmt.Errorf("topics[%d] = %q: the recording has no such %s", i, patterns[i], what)
		}
	}
	if len(p.channels) == 0 {
		return nil, fmt.Errorf("the recording has no %s", what)
	}
	for _, c := range all {
		if p.channels[c] && !slices.Contains(encodings, c.Encoding) {
			return nil, fmt.Errorf("topic %.200s: messages are in %.40q: must be in %q", c.Topic, c.Encoding,
				strings.Join(encodings, " or "))
		}
	}
	first, last := r.Span()
	p.from = first + s.From
	if s.From > last-first {
		return nil, fmt.Errorf("from = %v: the recording ends at %v", s.From, last-first)
	}
	if s.For > 0 && s.For <= last-p.from {
		p.to = p.from + s.For
	}
	return p, nil
}

// each calls the function do for every selected message, in the order of log times. A message is valid during the call.
// each stops when ctx ends. It fails if there is no message, so that no export is empty.
func (p *selected) each(ctx context.Context, do func(recording.Message) error) error {
	found := false
	for m, err := range p.reader.All(p.from, func(c *recording.ChannelInfo) bool { return p.channels[c] }) {
		if err = cmp.Or(ctx.Err(), err); err == nil && p.to > 0 && m.LogTime >= p.to {
			break
		}
		found = true
		if err == nil {
			err = do(m)
		}
		if err != nil {
			return err
		}
	}
	if !found && ctx.Err() == nil {
		return fmt.Errorf("%s: has no message of these topics in this time: an export must not be empty",
			p.reader.Path())
	}
	return ctx.Err()
}

// definition returns the definition of a topic's messages, which is in the recording.
func (p *selected) definition(c *recording.ChannelInfo) (*msg.Definition, error) {
	def, err := c.Definition()
	if err != nil {
		return nil, fmt.Errorf("%s: topic %.200s: %w", p.reader.Path(), c.Topic, err)
	}
	return def, nil
}

// wrong adds the file name, and the topic and time of a message, to an error.
func (p *selected) wrong(m recording.Message, err error) error {
	return fmt.Errorf("%s: topic %.200s at %v: %w", p.reader.Path(), m.Channel.Topic, m.LogTime, err)
}
