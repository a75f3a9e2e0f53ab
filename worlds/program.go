package worlds

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Program is a program that a run may start: that of a world that ships, or one that its user has asked for. Loading a
// world never starts it.
type Program struct {
	Name       string            `toml:"name" required:"true" match:"name" fixed:"true" doc:"what messages call it"`
	Command    []string          `toml:"command" required:"true" minlen:"1" maxlen:"1000" doc:"the program and its arguments; without a shell. Paths start from folder"`
	Folder     string            `toml:"folder" doc:"where it runs, from the folder of the world file, which it is if left out"`
	Robot      string            `toml:"robot" doc:"the robot that it drives: relative names are in that robot's namespace (ROS_NAMESPACE), and a master of that robot's own is the program's"`
	Env        map[string]string `toml:"env" doc:"variables of its environment, besides those of whoever starts the run and of ROS"`
	WaitFor    Readiness         `toml:"wait_for"`
	Within     time.Duration     `toml:"within_s" range:"(0, 3600]" doc:"wall time until it must be ready, and at lockstep until it has answered the first step"`
	AtExit     AtExit            `toml:"at_exit" oneof:"fail|ignore|restart" doc:"what happens when it ends before the run does, with whatever exit code: the run fails, goes on without it, or starts it again"`
	Restarts   int               `toml:"restarts" range:"[1, 1000]" doc:"how often it is started again; then the run fails"`
	StopWithin time.Duration     `toml:"stop_within_s" range:"[0, 60]" doc:"wall time after SIGTERM until it, and all that it has started, is killed"`
}

// Readiness is what must be there before the simulation begins, all of it; nothing: the program has been started.
type Readiness struct {
	Subscribes []string `toml:"subscribes" maxlen:"100" doc:"topics that a node beside the simulator has to subscribe to"`
	Publishes  []string `toml:"publishes" maxlen:"100" doc:"topics that a node beside the simulator has to publish"`
	Prints     string   `toml:"prints" doc:"text that a line of the program's output has to contain"`
}

// AtExit is what happens when a program ends before the run does.
type AtExit string

const (
	FailAtExit    AtExit = "fail"
	IgnoreExit    AtExit = "ignore"
	RestartAtExit AtExit = "restart"
)

// SetDefaults has a run fail without its program. Half a minute is what ten rospy programs need to start on one busy
// core.
func (p *Program) SetDefaults() {
	p.Within, p.AtExit, p.Restarts, p.StopWithin = 30*time.Second, FailAtExit, 3, 2*time.Second
}

// BindNode makes the folder start from that of the file that names it, or the command.
func (p *Program) BindNode(n *schema.Node) error {
	err := n.Bind(p)
	key := n.Get("folder")
	if key == nil {
		key = n.Get("command")
	}
	if key != nil && !filepath.IsAbs(p.Folder) && !strings.HasPrefix(key.File(), embeddedPrefix) &&
		sourcesOf(n).models.In == nil {
		p.Folder = filepath.Join(filepath.Dir(key.File()), p.Folder)
	}
	return err
}

// programs reports programs that belong to no robot, that cannot be started anywhere, and those that share a name.
func (w *World) programs() error {
	var errs []error
	taken := map[string]int{}
	for i := range w.Programs {
		p := &w.Programs[i]
		wrong := func(key string, value any, format string, args ...any) {
			errs = append(errs, &schema.Violation{Path: fmt.Sprintf("program[%d]", i), Key: key, Value: value,
				Rule: fmt.Sprintf(format, args...)})
		}
		if other, ok := taken[p.Name]; ok && p.Name != "" {
			wrong("name", p.Name, "is already the name of program[%d]", other)
		}
		taken[p.Name] = i
		if _, ok := w.Robot(p.Robot); !ok && p.Robot != "" {
			wrong("robot", p.Robot, "there is no such robot")
		}
		for _, row := range []struct {
			key    string
			topics []string
		}{{"subscribes", p.WaitFor.Subscribes}, {"publishes", p.WaitFor.Publishes}} {
			for _, topic := range row.topics {
				if err := condition.CheckTopic(topic); err != nil {
					errs = append(errs, &schema.Violation{Path: fmt.Sprintf("program[%d].wait_for", i), Key: row.key,
						Value: topic, Rule: err.Error()})
				}
			}
		}
		if len(p.Command) > 0 && p.Command[0] == "" {
			wrong("command", nil, "its first element names the program: must not be empty")
		}
		for _, text := range append(slices.Clone(p.Command), p.Folder) {
			if strings.ContainsRune(text, 0) {
				wrong("command", nil, "no program takes the character of number 0")
			}
		}
		for _, key := range slices.Sorted(maps.Keys(p.Env)) {
			if key == "" || strings.ContainsAny(key, "=\x00") || strings.ContainsRune(p.Env[key], 0) {
				wrong("env", nil, "%q = %q: is no variable: must have a name without = and no character of number 0",
					key, p.Env[key])
			}
		}
	}
	return errors.Join(errs...)
}

// Topics lists the topics that conditions of events and expectations ask about.
func (w *World) Topics() (names []string) {
	for i := range w.Events {
		names = append(names, w.Events[i].When.Topics()...)
	}
	for i := range w.Expect {
		e := &w.Expect[i]
		for _, c := range []*condition.Choice{e.Eventually, e.Always, e.Never} {
			names = append(names, c.Topics()...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
