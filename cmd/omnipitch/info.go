package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
)

type infoCmd struct {
	File     string  `arg:"" help:"A recording, FILE.mcap or FILE.mcap.partial, or another MCAP file."`
	JSON     bool    `name:"json" xor:"what" help:"Print one JSON object."`
	Attached *string `xor:"what" placeholder:"NAME" help:"Print an attached file, such as world.toml, instead."`
}

// infoJSON describes a recording.
type infoJSON struct {
	File    string            `json:"file"`
	Library string            `json:"library"`
	Damage  string            `json:"damage,omitempty"`
	From    float64           `json:"from_s"`
	To      float64           `json:"to_s"`
	Run     map[string]string `json:"run,omitempty"`
	// On lists the intervals in which the recording was on. It is absent if recording was never switched.
	On          [][2]float64 `json:"on_s,omitempty"`
	Attachments []string     `json:"attachments,omitempty"`
	Topics      []topicJSON  `json:"topics"`
}

type topicJSON struct {
	Topic    string `json:"topic"`
	Type     string `json:"type"`
	Messages uint64 `json:"messages"`
}

func (c *infoCmd) Run(ctx context.Context, con console.Streams) error {
	r, err := openRecording(ctx, con, c.File, recording.Open)
	if err != nil {
		return err
	}
	defer r.Close()
	if c.Attached != nil {
		return c.attached(con, r)
	}
	first, last := r.Span()
	info := infoJSON{File: c.File, Library: r.Library(), From: first.Seconds(), To: last.Seconds(), Run: r.Metadata(),
		Attachments: r.Attachments(), Topics: []topicJSON{}}
	if err := r.Damage(); err != nil {
		info.Damage = err.Error()
	}
	on, err := recorder.On(r)
	if err != nil && info.Damage == "" {
		info.Damage = err.Error()
	}
	for _, span := range on {
		info.On = append(info.On, [2]float64{span[0].Seconds(), span[1].Seconds()})
	}
	for _, ch := range r.Channels() {
		info.Topics = append(info.Topics, topicJSON{ch.Topic, ch.Schema.Name, ch.Messages})
	}
	if c.JSON {
		enc := json.NewEncoder(con.Out)
		enc.SetIndent("", "  ")
		return enc.Encode(info)
	}
	tw := tabwriter.NewWriter(con.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "written by\t%s\n", console.OneLine(info.Library))
	for _, key := range slices.Sorted(maps.Keys(info.Run)) {
		fmt.Fprintf(tw, "%s\t%s\n", console.OneLine(key), console.OneLine(info.Run[key]))
	}
	fmt.Fprintf(tw, "time\t%.3f s to %.3f s\n", info.From, info.To)
	for _, span := range info.On {
		fmt.Fprintf(tw, "switched on\t%.3f s to %.3f s\n", span[0], span[1])
	}
	for _, name := range info.Attachments {
		fmt.Fprintf(tw, "attached\t%s\n", console.OneLine(name))
	}
	if info.Damage != "" {
		fmt.Fprintf(tw, "damage\t%s\n", console.OneLine(info.Damage))
	}
	fmt.Fprintln(tw, "\nTOPIC\tTYPE\tMESSAGES")
	for _, t := range info.Topics {
		fmt.Fprintf(tw, "%s\t%s\t%d\n", console.OneLine(t.Topic), console.OneLine(t.Type), t.Messages)
	}
	return tw.Flush()
}

// attached prints the content of an attached file.
func (c *infoCmd) attached(con console.Streams, r *recording.Reader) error {
	names := r.Attachments()
	if !slices.Contains(names, *c.Attached) {
		return console.BadInputf("--attached = %q: %s has %s", *c.Attached, c.File, cmp.Or(strings.Join(names, ", "),
			"no files"))
	}
	a, err := r.Attachment(*c.Attached)
	if err != nil {
		return console.BadInput(err)
	}
	_, err = con.Data().Write(a.Data)
	return err
}
