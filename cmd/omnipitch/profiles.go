package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/compare"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/worlds"
)

type rosProfilesCmd struct {
	Name    string             `arg:"" optional:"" help:"Profile to print. For a path, list what the profile contains, including other profiles."`
	Compare string             `placeholder:"PROFILE" help:"Compare the system at ROS_MASTER_URI, of any simulator, with this profile, a name or a path: topics, services, types, rates and parameters. Exit code 1 if there are problems."`
	World   string             `placeholder:"WORLD" help:"With --compare: expect the robots, sensors and parameters of this world. Default: find robots by their topics."`
	Robot   []string           `placeholder:"NAMESPACE" help:"With --compare: namespace of a robot to compare, / for none. May be repeated. Default: all robots."`
	For     time.Duration      `default:"3s" help:"With --compare: how long to measure rates."`
	Amiss   bool               `help:"With --compare: print only problems."`
	JSON    bool               `name:"json" help:"With --compare: print one JSON object."`
	ROS2    serve.DomainChoice `name:"ros2" default:"off" placeholder:"DOMAIN" help:"With --compare: compare a system of ROS 2 instead, without parameters: on, in the domain of ROS_DOMAIN_ID; a domain; or off. Default: ${default}."`
}

// maxCompareTime is the maximum value of --for.
const maxCompareTime = 10 * time.Minute

func (c *rosProfilesCmd) Run(ctx context.Context, con console.Streams) error {
	switch {
	case c.Compare != "" && c.Name != "":
		return console.BadInputf("profile %q to print and %q to compare: give only one", c.Name, c.Compare)
	case c.Compare != "":
		return c.compare(ctx, con)
	case c.World != "" || len(c.Robot) > 0 || c.Amiss || c.JSON || c.ROS2.On():
		return console.BadInputf("--world, --robot, --amiss, --json and --ros2: need --compare")
	case c.Name == robotio.OwnTopicsName:
		_, err := fmt.Fprint(con.Out, robotio.OwnTopicsText())
		return err
	case c.Name != "":
		text, ok := mapping.ProfileText(c.Name)
		if _, err := os.Stat(c.Name); err == nil { // a path takes precedence over a name
			return c.describe(con.Out)
		}
		if !ok {
			return console.BadInputf("profile = %q: must be one of %s, %s, or a path", c.Name,
				strings.Join(mapping.ProfileNames(), ", "), robotio.OwnTopicsName)
		}
		_, err := con.Data().Write(text)
		return err
	}
	tw := tabwriter.NewWriter(con.Out, 0, 0, 2, ' ', 0)
	for _, name := range mapping.ProfileNames() {
		p, err := mapping.Contents(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(tw, "%s\tROS %s\t%s\n", name, p.Versions(0), p.About)
	}
	fmt.Fprintf(tw, "%s\tROS 1\t%s\n", robotio.OwnTopicsName, "no profile: topics and services of every simulation: "+
		"time, speed and forecasts")
	return tw.Flush()
}

// describe lists the contents of a profile, including the contents of the profiles that it uses. c.Name is the name or
// the path of the profile.
func (c *rosProfilesCmd) describe(w io.Writer) error {
	p, err := mapping.Contents(c.Name)
	if err != nil {
		return console.BadInputf("profile = %q: %w", c.Name, err)
	}
	if err := mapping.CheckProfile(c.Name); err != nil {
		return console.BadInput(err)
	}
	if p.About != "" {
		fmt.Fprintln(w, p.About)
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "NAME\tOF FURTHER SENSORS\tTYPE\tIS\tOF\tAT LEVELS\tROS\tPROFILE")
	row := func(o mapping.Origin, ros msg.Version, name, more, typ, is, of string, levels abstraction.Levels) {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", name, dash(more), typ, is, of, dash(levels.String()),
			p.Versions(ros), o.Profile)
	}
	for i := range p.Publish {
		e := &p.Publish[i]
		row(e.Origin, e.ROS, e.Topic, e.More, e.Type, "published", string(e.From), e.Levels)
	}
	for i := range p.Subscribe {
		s := &p.Subscribe[i]
		row(s.Origin, s.ROS, s.Topic, "", s.Type, "taken", string(s.From), nil)
	}
	for i := range p.Replies {
		r := &p.Replies[i]
		row(r.Origin, r.ROS, r.Topic, "", r.Type, "a reply", "robot", nil)
	}
	for i := range p.Services {
		s := &p.Services[i]
		row(s.Origin, s.ROS, s.Name, "", s.Type, "served", s.From, nil)
	}
	for i := range p.Calls {
		s := &p.Calls[i]
		row(s.Origin, s.ROS, s.Service, "", s.Type, "called", s.From, nil)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Params)) {
		fmt.Fprintf(tw, "%s\t-\t-\tparameter\t-\t-\t%s\t-\n", name, p.Versions(0))
	}
	return tw.Flush()
}

// compare compares the ROS system at ROS_MASTER_URI, or in a domain of ROS 2, with a profile.
func (c *rosProfilesCmd) compare(ctx context.Context, con console.Streams) error {
	if c.For <= 0 || c.For > maxCompareTime {
		return console.BadInputf("--for = %v: must be positive and at most %v", c.For, maxCompareTime)
	}
	v := msg.ROS1
	if c.ROS2.On() {
		v = msg.ROS2
	}
	p, err := mapping.LoadFor(v, c.Compare)
	if err != nil {
		return console.BadInputf("profile = %q: %w", c.Compare, err)
	}
	opts := compare.Options{Robots: c.Robot, For: c.For}
	if opts.Profile, err = mapping.Compile(p); err != nil {
		return console.BadInput(err)
	}
	if c.World != "" {
		if opts.World, err = worlds.Load(c.World); err != nil {
			return console.BadInput(err)
		}
	}
	node, where, closeNode, err := c.join(ctx, p.Library)
	if err != nil {
		return err
	}
	defer closeNode()
	if u, err := url.Parse(where); err == nil && !c.ROS2.On() {
		opts.Port, _ = strconv.Atoi(u.Port())
	}
	report, err := compare.Run(ctx, node, opts)
	if errors.Is(err, compare.ErrNoRobots) {
		return console.Unavailablef("%w; a robot's namespace can be given by --robot", err)
	}
	if err != nil {
		return console.Unavailable(err)
	}
	report.Master = where
	if c.JSON {
		err = json.NewEncoder(con.Out).Encode(report)
	} else {
		err = c.print(con.Out, report)
	}
	if n := report.Amiss(); err == nil && n > 0 {
		return fmt.Errorf("rows of the comparison with profile %s that are amiss: %d", report.Profile, n)
	}
	return err
}

// join starts a node, and returns where it is: the URI of a master, or a domain.
func (c *rosProfilesCmd) join(ctx context.Context, types *msg.Library) (n wire.Node, where string,
	closeNode func(), err error) {
	name := fmt.Sprintf("/omnipitch_compare_%d", os.Getpid())
	if c.ROS2.On() {
		n, domain, closeNode, err := c.ROS2.Join(ctx, name, types)
		return n, fmt.Sprintf("domain %d", domain), closeNode, err
	}
	uri, err := serve.MasterURI()
	if err != nil {
		return nil, "", nil, err
	}
	node, err := ros1.NewNode(ros1.NodeConfig{Name: name, MasterURI: uri, Types: types})
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil, "", nil, console.Unavailablef("no ROS master answers at %s: start what is to be compared, or set "+
			"ROS_MASTER_URI", uri)
	}
	if err != nil {
		return nil, "", nil, console.NetworkError(err)
	}
	return node, uri, func() { node.Close() }, nil
}

// print prints a comparison as a table.
func (c *rosProfilesCmd) print(w io.Writer, report *compare.Report) error {
	var robots []string
	for _, ns := range report.Robots {
		robots = append(robots, "/"+ns)
	}
	fmt.Fprintf(w, "profile %s at %s: robots %s", report.Profile, report.Master, dash(strings.Join(robots, ", ")))
	if report.RealTimeFactor != nil {
		fmt.Fprintf(w, "; real-time factor %.2f", *report.RealTimeFactor)
	}
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	header := sync.OnceFunc(func() { fmt.Fprintln(tw, "VERDICT\tNAME\tBY\tEXPECTED\tFOUND\tHz EXPECTED\tHz FOUND") })
	var details []string
	about := map[string][]string{} // names by detail text
	leftOut := 0
	for i := range report.Rows {
		r := &report.Rows[i]
		if absent := r.Verdict == compare.Absent; absent || c.Amiss && !r.Amiss {
			if absent {
				leftOut++
			}
			continue
		}
		header()
		expected, found := r.Expected.Type, r.Found.Type
		switch {
		case r.Side == compare.Parameter:
			expected, found = plain(r.Expected.Value), plain(r.Found.Value)
		case expected == found && r.Found.MD5 != "" && r.Expected.MD5 != r.Found.MD5:
			expected, found = withSum(r.Expected), withSum(r.Found)
		}
		mark := ""
		if r.Amiss {
			mark = "! "
		}
		fmt.Fprintf(tw, "%s%s\t%s\t%s\t%s\t%s\t%s\t%s\n", mark, r.Verdict, r.Name, r.Side, dash(expected), dash(found),
			hertz(r.Expected.Rate), hertz(r.Found.Rate))
		for _, d := range r.Details {
			if about[d] == nil {
				details = append(details, d)
			}
			about[d] = append(about[d], r.Name)
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, d := range details {
		fmt.Fprintf(w, "%s: %s\n", strings.Join(about[d], ", "), d)
	}
	_, err := fmt.Fprintf(w, "rows amiss: %d of %d; left out, of sensors that are not there: %d; other topics: %d\n",
		report.Amiss(), len(report.Rows)-leftOut, leftOut, report.Others)
	return err
}

// withSum returns the name of a type with the start of its MD5 sum or hash, which distinguishes versions of the type.
func withSum(t compare.Thing) string {
	const enough = 8
	sum := strings.TrimPrefix(t.MD5, "RIHS01_")
	return t.Type + " " + sum[:min(enough, len(sum))]
}

// plain returns the value of a parameter as text, or "" for nil.
func plain(v any) string {
	if v == nil {
		return ""
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	const most = 40
	if r := []rune(string(text)); len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(text)
}

func hertz(rate *float64) string {
	if rate == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f", *rate)
}
