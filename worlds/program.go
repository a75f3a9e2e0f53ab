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

// Program is a program that a run may start. It is either a program of a shipped world, or one that the user asks for.
// Loading a world never starts a program.
type Program struct {
	Name       string            `toml:"name" required:"true" match:"name" fixed:"true" doc:"name of the program in messages"`
	Command    []string          `toml:"command" required:"true" minlen:"1" maxlen:"1000" doc:"program and arguments, run without a shell; paths start from folder"`
	Folder     string            `toml:"folder" doc:"working folder, relative to the folder of the world file, which is the default"`
	Robot      string            `toml:"robot" doc:"robot that the program drives: relative names are in that robot's namespace (ROS_NAMESPACE), and the robot's own master, if it has one, is the program's"`
	Env        map[string]string `toml:"env" doc:"environment variables, in addition to those of the run and of ROS"`
	WaitFor    Readiness         `toml:"wait_for"`
	Within     time.Duration     `toml:"within_s" range:"(0, 3600]" doc:"wall time until the program must be ready, and at lockstep until it must have answered the first step"`
	AtExit     AtExit            `toml:"at_exit" oneof:"fail|ignore|restart" doc:"what happens when the program ends before the run, with any exit code: the run fails, continues without it, or starts it again"`
	Restarts   int               `toml:"restarts" range:"[1, 1000]" doc:"how often the program is started again before the run fails"`
	StopWithin time.Duration     `toml:"stop_within_s" range:"[0, 60]" doc:"wall time after SIGTERM until the program, and everything it has started, is killed"`
}

// Readiness is the set of conditions that must all be met before the simulation starts. If there are none, it is enough
// that the program has been started.
type Readiness struct {
	Subscribes []string `toml:"subscribes" maxlen:"100" doc:"topics that a node other than the simulator must subscribe to"`
	Publishes  []string `toml:"publishes" maxlen:"100" doc:"topics that a node other than the simulator must publish"`
	Prints     string   `toml:"prints" doc:"text that a line of the program's output must contain"`
}

// AtExit says what happens if a program ends before the run does.
type AtExit string

const (
	FailAtExit    AtExit = "fail"
	IgnoreExit    AtExit = "ignore"
	RestartAtExit AtExit = "restart"
)

// SetDefaults makes a run fail if its program ends. The program has half a minute to become ready, which is what ten
// rospy programs need on one busy core.
func (p *Program) SetDefaults() {
	p.Within, p.AtExit, p.Restarts, p.StopWithin = 30*time.Second, FailAtExit, 3, 2*time.Second
}

// BindNode makes the program's folder relative to the folder of the file that gives it. If no file gives the program's
// folder, BindNode sets the folder of the file that gives the command.
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

// validatePrograms reports programs that belong to no robot, programs that cannot be started on any machine, and
// programs with the same name.
func (w *World) validatePrograms() error {
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
				wrong("command", nil, "must not contain the character NUL")
			}
		}
		for _, key := range slices.Sorted(maps.Keys(p.Env)) {
			if key == "" || strings.ContainsAny(key, "=\x00") || strings.ContainsRune(p.Env[key], 0) {
				wrong("env", nil, "%q = %q: is no variable: must have a name without =, and no character NUL",
					key, p.Env[key])
			}
		}
	}
	return errors.Join(errs...)
}

// Topics lists the topics that the conditions of events and expectations name.
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
