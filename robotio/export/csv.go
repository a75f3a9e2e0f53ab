package export

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/recording"
)

// maxTables bounds the number of files that are open at once.
const maxTables = 500

// CSV writes the selected messages as tables, one for each topic, into files that create opens: NAMESPACE.TOPIC.csv.
// The first row has the names of the columns. The first two columns are log_time and publish_time, in seconds;
// dynamic.Columns defines the others. Units are those of the messages. CSV reads the recording twice, because arrays
// determine the number of columns. It closes the files and returns their names. It does so even if it fails, but then
// the files are incomplete. It fails if the recording is damaged, if a topic has no ROS definition or too many
// columns, if a file fails, or when ctx ends.
//
// Source: RFC 4180, but with line ends of Unix.
func CSV(ctx context.Context, r *recording.Reader, s Selection, create func(name string) (io.WriteCloser, error)) (
	names []string, err error) {
	p, err := s.pick(r, "topic", nil, recording.ROSEncoding, recording.ROS2Encoding)
	if err != nil {
		return nil, err
	}
	tables, all, err := p.tables()
	if err != nil {
		return nil, err
	}
	if err := p.each(ctx, func(m recording.Message) error {
		if err := tables[m.Channel].columns.Widen(m.Data); err != nil {
			return p.wrong(m, err)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	defer func() {
		for _, t := range all {
			if t.file != nil {
				err = errors.Join(err, t.file.Close())
			}
		}
	}()
	for _, t := range all {
		header, err := t.columns.Header()
		if err != nil {
			return names, fmt.Errorf("%s: topic %.200s: %w", r.Path(), t.topic, err)
		}
		if t.file, err = create(t.name); err != nil {
			return names, err
		}
		names = append(names, t.name)
		t.w = bufio.NewWriterSize(t.file, 16<<10)
		t.cell([]byte("log_time"))
		t.cell([]byte("publish_time"))
		for _, name := range header {
			t.cell([]byte(name))
		}
		t.end()
	}
	if err := p.each(ctx, func(m recording.Message) error { return tables[m.Channel].row(p, m) }); err != nil {
		return names, err
	}
	for _, t := range all {
		if err := t.w.Flush(); err != nil {
			return names, err
		}
	}
	return names, nil
}

// table writes the file of a topic.
type table struct {
	topic, name string
	columns     *dynamic.Columns
	file        io.WriteCloser
	w           *bufio.Writer // keeps the first error
	begun       bool          // the row has a cell
	text        []byte        // reused
}

// tables returns a table for each topic and type. Publishers of the same topic and type share one.
func (p *selected) tables() (by map[*recording.ChannelInfo]*table, all []*table, err error) {
	type key struct {
		topic  string
		schema recording.Schema
	}
	by = map[*recording.ChannelInfo]*table{}
	known, names := map[key]*table{}, map[string]bool{}
	for _, c := range p.reader.Channels() {
		k := key{c.Topic, c.Schema}
		if !p.channels[c] {
			continue
		}
		if known[k] == nil {
			if len(all) == maxTables {
				return nil, nil, fmt.Errorf("%s: more than %d topics: must not be exported as tables at once",
					p.reader.Path(), maxTables)
			}
			def, err := p.definition(c)
			if err != nil {
				return nil, nil, err
			}
			t := &table{topic: c.Topic, name: tableName(c.Topic, names)}
			codec, err := dynamic.Compile(def)
			if err == nil {
				t.columns, err = dynamic.NewColumns(codec)
			}
			if err != nil {
				return nil, nil, fmt.Errorf("%s: topic %.200s: %w", p.reader.Path(), c.Topic, err)
			}
			known[k], all = t, append(all, t)
		}
		by[c] = known[k]
	}
	return by, all, nil
}

// tableName returns a file name for a topic, which is not in taken, and adds the name to taken. The topic names in a
// hostile recording may be any text.
func tableName(topic string, taken map[string]bool) string {
	base := strings.Map(func(r rune) rune {
		switch {
		case r == '/':
			return '.'
		case r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
			return r
		}
		return '_'
	}, strings.Trim(topic, "/"))
	base = cmp.Or(base[:min(len(base), 200)], "topic")
	name := base + ".csv"
	for i := 2; taken[strings.ToLower(name)]; i++ { // some file systems ignore case
		name = fmt.Sprintf("%s.%d.csv", base, i)
	}
	taken[strings.ToLower(name)] = true
	return name
}

// row writes a message.
func (t *table) row(p *selected, m recording.Message) error {
	t.seconds(m.LogTime)
	t.seconds(m.PublishTime)
	if err := t.columns.Row(m.Data, t.cell); err != nil {
		return p.wrong(m, err)
	}
	return t.end()
}

func (t *table) seconds(d time.Duration) {
	t.text = strconv.AppendInt(t.text[:0], int64(d/time.Second), 10)
	t.text = fmt.Appendf(t.text, ".%09d", int64(d%time.Second))
	t.cell(t.text)
}

// cell appends a cell to the row.
func (t *table) cell(text []byte) {
	if t.begun {
		t.w.WriteByte(',')
	}
	t.begun = true
	if bytes.ContainsAny(text, ",\"\r\n") {
		t.w.WriteByte('"')
		t.w.Write(bytes.ReplaceAll(text, []byte{'"'}, []byte(`""`)))
		text = []byte{'"'}
	}
	t.w.Write(text)
}

func (t *table) end() error {
	t.begun = false
	return t.w.WriteByte('\n')
}
