package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros2"
)

type rosCmd struct {
	List     rosListCmd     `cmd:"" help:"List the topics of the simulation at ROS_MASTER_URI."`
	Info     rosInfoCmd     `cmd:"" help:"Show the topics of a robot, or one topic: levels, rate, delay, subscribers and publishers."`
	Profiles rosProfilesCmd `cmd:"" help:"List the built-in profiles, print one, or compare a running system with one."`
}

type rosListCmd struct {
	JSON bool               `name:"json" help:"Print one JSON object."`
	ROS2 serve.DomainChoice `name:"ros2" default:"off" placeholder:"DOMAIN" help:"Ask a simulation over ROS 2 instead: on, in the domain of ROS_DOMAIN_ID; a domain; or off. Default: ${default}."`
}

// topicsAnswer is the output of the commands of omnipitch ros with --json.
type topicsAnswer struct {
	Topics []robotio.TopicReport `json:"topics"`
}

func (c *rosListCmd) Run(ctx context.Context, con console.Streams) error {
	topics, err := runningTopics(ctx, c.ROS2)
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(con.Out).Encode(topicsAnswer{topics})
	}
	tw := tabwriter.NewWriter(con.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "TOPIC\tTYPE\tSENSOR\tLEVEL\tFED\tRATE Hz\tDELAY ms\tLISTENERS")
	for i := range topics {
		t := &topics[i]
		if t.Taken {
			continue
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\n", t.Topic, t.Type, dash(t.Sensor), dash(string(t.Level)),
			yes(t.Fed), measured(t, t.Rate), measured(t, t.Delay), len(t.Subscribers))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(con.Out)
	fmt.Fprintln(tw, "TAKES COMMANDS FROM\tTYPE\tROBOT\tRATE Hz\tMESSAGES\tPUBLISHERS")
	for i := range topics {
		if t := &topics[i]; t.Taken {
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%d\t%d\n", t.Topic, t.Type, dash(t.Robot), measured(t, t.Rate), t.Messages,
				len(t.Publishers))
		}
	}
	return tw.Flush()
}

type rosInfoCmd struct {
	Name string             `arg:"" help:"Name of a robot or a topic."`
	JSON bool               `name:"json" help:"Print one JSON object."`
	ROS2 serve.DomainChoice `name:"ros2" default:"off" placeholder:"DOMAIN" help:"Ask a simulation over ROS 2, as with ros list."`
}

func (c *rosInfoCmd) Run(ctx context.Context, con console.Streams) error {
	all, err := runningTopics(ctx, c.ROS2)
	if err != nil {
		return err
	}
	var topics []robotio.TopicReport
	for _, t := range all {
		if t.Robot == c.Name || t.Topic == "/"+strings.TrimPrefix(c.Name, "/") {
			topics = append(topics, t)
		}
	}
	if len(topics) == 0 {
		return console.BadInputf("%q: the simulation has no such robot, and neither publishes nor takes such a topic",
			c.Name)
	}
	if c.JSON {
		return json.NewEncoder(con.Out).Encode(topicsAnswer{topics})
	}
	for i := range topics {
		t := &topics[i]
		fmt.Fprintf(con.Out, "%s [%s]\n", t.Topic, t.Type)
		if t.Taken {
			printTaken(con.Out, t)
			continue
		}
		if t.Sensor != "" {
			levels := "all levels"
			if len(t.Levels) > 0 {
				levels = strings.Trim(fmt.Sprint(t.Levels), "[]")
			}
			fmt.Fprintf(con.Out, "  from %s.%s at %s; fed at %s: %s\n", t.Robot, t.Sensor, t.Level, levels, yes(t.Fed))
		}
		fmt.Fprintf(con.Out, "  %d messages, %s Hz, %s ms after their stamps, %d dropped for slow listeners\n",
			t.Messages, measured(t, t.Rate), measured(t, t.Delay), t.Dropped)
		fmt.Fprintf(con.Out, "  listeners: %s\n", dash(strings.Join(t.Subscribers, ", ")))
	}
	return nil
}

// printTaken prints a description of a topic that the simulation subscribes to.
func printTaken(out io.Writer, t *robotio.TopicReport) {
	by := "the world"
	if t.Robot != "" {
		by = t.Robot
	}
	if t.Sensor != "" {
		by += "." + t.Sensor
	}
	fmt.Fprintf(out, "  taken by %s: %d messages, %s Hz\n", by, t.Messages, measured(t, t.Rate))
	fmt.Fprintf(out, "  publishers: %s\n", dash(strings.Join(t.Publishers, ", ")))
	if len(t.Refused) > 0 {
		fmt.Fprintf(out, "  not taken, as they publish another type: %s\n", strings.Join(t.Refused, ", "))
	}
}

// dash returns a text for a cell of a table, or a dash for none.
func dash(s string) string {
	if s == "" {
		return "-"
	}
	return console.OneLine(s)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// measured returns a measured value of a topic as text. It returns "-" if fewer than two messages have come.
func measured(t *robotio.TopicReport, x float64) string {
	if t.Messages < 2 {
		return "-"
	}
	return fmt.Sprintf("%.1f", x)
}

// callRunning calls a service of the simulation at ROS_MASTER_URI and returns the response. name is the service's name
// relative to the node of the simulation. typ is the type of the service.
func callRunning[Req, Resp any](ctx context.Context, name, typ string, request *Req) (*Resp, error) {
	uri, err := serve.MasterURI()
	if err != nil {
		return nil, err
	}
	node, err := ros1.NewNode(ros1.NodeConfig{Name: fmt.Sprintf("/omnipitch_ros_%d", os.Getpid()), MasterURI: uri})
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil, console.Unavailablef("no ROS master answers at %s: start omnipitch run WORLD, or set ROS_MASTER_URI", uri)
	}
	if err != nil {
		return nil, console.NetworkError(err)
	}
	defer node.Close()
	ctx, cancel := context.WithTimeout(ctx, serve.AnswerTime)
	defer cancel()
	service, err := fullServiceName(ctx, node, name)
	if err != nil {
		return nil, console.Unavailable(err)
	}
	answer, err := ros1.Call[Req, Resp](ctx, node, service, typ, request)
	if errors.Is(err, ros1.ErrNoService) {
		return nil, console.Unavailablef("no simulation runs at this master: start omnipitch run WORLD")
	}
	if err != nil {
		return nil, console.Unavailable(err)
	}
	return answer, nil
}

// callInDomain is like callRunning for a simulation in a domain of ROS 2.
func callInDomain[Req, Resp any](ctx context.Context, in serve.DomainChoice, name, typ string,
	request *Req) (*Resp, error) {
	node, domain, closeNode, err := in.Join(ctx, fmt.Sprintf("/omnipitch_ros_%d", os.Getpid()), nil)
	if err != nil {
		return nil, err
	}
	defer closeNode()
	ctx, cancel := context.WithTimeout(ctx, serve.AnswerTime)
	defer cancel()
	answer, err := ros2.Call[Req, Resp](ctx, node, "/omnipitch/"+name, typ, request)
	if errors.Is(err, ros2.ErrNoService) {
		return nil, console.Unavailablef("no simulation runs in domain %d: start omnipitch run WORLD --ros2 on", domain)
	}
	if err != nil {
		return nil, console.Unavailable(err)
	}
	return answer, nil
}

// runningTopics asks the simulation at ROS_MASTER_URI, or in a domain of ROS 2, for its topics.
func runningTopics(ctx context.Context, in serve.DomainChoice) ([]robotio.TopicReport, error) {
	var answer *msg.TriggerResponse
	var err error
	if in.On() {
		answer, err = callInDomain[msg.TriggerRequest, msg.TriggerResponse](ctx, in, robotio.TopicsService,
			"std_srvs/Trigger", &msg.TriggerRequest{})
	} else {
		answer, err = callRunning[msg.TriggerRequest, msg.TriggerResponse](ctx, robotio.TopicsService,
			"std_srvs/Trigger", &msg.TriggerRequest{})
	}
	if err != nil {
		return nil, err
	}
	var topics []robotio.TopicReport
	if err := json.Unmarshal([]byte(answer.Message), &topics); err != nil {
		return nil, console.Unavailablef("the simulation's answer: %w", err)
	}
	return topics, nil
}

// fullServiceName returns the full name of a service of a running simulation. It begins with the name of the
// simulation's node, which itself begins with /omnipitch.
func fullServiceName(ctx context.Context, n *ros1.Node, name string) (string, error) {
	graph, err := n.Graph(ctx)
	if err != nil {
		return "", err
	}
	for service, nodes := range graph.Services {
		if node, ok := strings.CutSuffix(service, "/"+name); ok && strings.HasPrefix(node, "/omnipitch") &&
			slices.Contains(nodes, node) {
			return service, nil
		}
	}
	return "/omnipitch/" + name, nil // there is no such service; the call will fail
}

type masterCmd struct{ serve.MasterFlags }

// Run runs a master until the context ends.
func (c *masterCmd) Run(ctx context.Context, con console.Streams) error {
	m, err := serve.OpenMaster(con, c.MasterFlags)
	if err != nil {
		return err
	}
	defer m.Close()
	<-ctx.Done()
	return nil
}
