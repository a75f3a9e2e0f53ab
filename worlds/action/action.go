package action

import (
	"errors"
	"fmt"
	"strings"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds/coach"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/player"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Action is something that can be made to happen.
type Action interface {
	// Validate reports, before a run, each field that asks for what the world does not have: as a schema.Violation with
	// that field's key.
	Validate(w World) error
	// Do carries the action out. It fails, and changes nothing, when the simulation does not have what it asks for. The
	// rules in the fields' tags hold: see Check.
	Do(s Simulation) error
	// Anytime tells whether any goroutine may do it at any time. Otherwise it belongs to the goroutine that steps.
	Anytime() bool
}

// Command is an action that is a part of a robot's command. Several that are done together are taken by the same step.
type Command interface {
	Action
	// Commands returns the robot's name.
	Commands() string
	// Change changes the robot's command, and tells whether it did.
	Change(c *physics.Command) bool
}

// AsCommand returns an action that is a part of a robot's command: a drive for a while is none.
func AsCommand(a Action) (Command, bool) {
	if d, ok := a.(*Drive); ok && d.For > 0 {
		return nil, false
	}
	c, ok := a.(Command)
	return c, ok
}

// World is what actions are checked against.
type World interface {
	// FindRobot fails when there is no such robot.
	FindRobot(name string) (physics.Robot, error)
	// FindNumber fails unless a team has a robot of a number.
	FindNumber(team physics.Team, number int) error
	// FindSensor fails when there is no such sensor. It returns nil for a robot whose model could not be read.
	FindSensor(robot, sensor string) (*sensors.Config, error)
	// FindBody fails unless a name is the ball's, a robot's or an obstacle's.
	FindBody(name string) error
	// FindBoard fails unless a name is a board's.
	FindBoard(name string) error
	// FindAnswers fails unless some robot's answers can be waited for, at speed lockstep.
	FindAnswers() error
	// FindLamp fails unless a name is a nearby lamp's.
	FindLamp(name string) error
	// FindRadios fails unless a robot has a radio: that of a name, or one of a team; empty is any.
	FindRadios(robot string, team physics.Team) error
}

// Simulation is what actions are carried out on. Its methods fail for names that nothing has.
type Simulation interface {
	Field() *physics.Field
	Robot(name string) (*physics.Robot, error)
	// Robots returns all of them, in the model's order.
	Robots() []physics.Robot
	// Command changes a robot's command from the next step on.
	Command(robot string, change func(*physics.Command)) error
	// Play has a behaviour play a robot from the next step on. If once, who played before goes on when it has ended.
	Play(robot string, b player.Behaviour, once bool) error
	// SetBallHandling says whether a robot may hold and kick the ball from the next step on.
	SetBallHandling(robot string, enable bool) error
	// SetWired says whether a robot and its programs are connected.
	SetWired(robot string, wired bool) error
	// SetRadio switches the radio of a robot, or those of a team, on or off; empty is any. It fails unless there is
	// one.
	SetRadio(robot string, team physics.Team, on bool) error
	// SetLevel sets the level of a sensor's next frame.
	SetLevel(robot, sensor string, level abstraction.Level) error
	// SetFault sets how a sensor is broken from its next frame on; empty heals it.
	SetFault(robot, sensor string, fault sensors.Fault) error
	// Head returns the head of a camera, and the level of its next frame.
	Head(robot, sensor string) (*sensors.Head, abstraction.Level, error)
	// Place puts the ball, a robot or an obstacle somewhere, with a twist in W.
	Place(name string, poseWB spatial.Pose, twistInW spatial.Twist) error
	// Hang puts a board somewhere.
	Hang(board string, poseWB spatial.Pose) error
	// End ends the run after the present step, and SetSpeed sets its speed.
	End()
	SetSpeed(speed timesync.Speed) error
	// Record switches what the run's recording shows on or off.
	Record(on bool) error
	// GameCommand has the referee box command the game; the number is that of the robot that a command is for.
	GameCommand(c game.Command, team physics.Team, number int) error
	// TellTeam has the coach tell a team something.
	TellTeam(team physics.Team, word coach.Word)
	// Clock returns sim time, to be paused and resumed.
	Clock() *timesync.Clock
	// ResetBodies puts the ball, robots and obstacles where they stood as the world began, at rest.
	ResetBodies() error
	// Restart has the world begin again before the next step, with another seed unless that is nil.
	Restart(seed *uint64) error
	// ChangeLight changes the hall's light, unless change fails.
	ChangeLight(change func(*render.FadingLight) error) error
	PaintBall(color render.Color) error
	PaintCarpet(color render.Color) error
}

// Choice names one action by its key.
type Choice struct {
	Drive           *Drive           `toml:"drive" doc:"the velocity that a robot is to drive at, for a while or from then on"`
	Follow          *Follow          `toml:"follow" doc:"a robot drives along way points, once; then its player goes on, or it rests"`
	Play            *Play            `toml:"play" doc:"a scripted player for a robot; without a wire"`
	Dribble         *Dribble         `toml:"dribble" doc:"whether a robot is to hold the ball"`
	Kick            *Kick            `toml:"kick" doc:"a robot is to kick the ball that it holds"`
	Extend          *Extend          `toml:"extend" doc:"where a goalkeeper is to extend to"`
	SendOff         *SendOff         `toml:"send_off" doc:"parks a robot beside the field"`
	SetBallHandling *SetBallHandling `toml:"set_ball_handling" doc:"whether robots may hold and kick the ball: a referee's stop and start"`
	CutWires        *CutWires        `toml:"cut_wires" doc:"cuts a robot off from its programs"`
	RestoreWires    *RestoreWires    `toml:"restore_wires" doc:"connects it again"`
	CutRadio        *CutRadio        `toml:"cut_radio" doc:"switches radios off, by which robots tell their mates what they will"`
	RestoreRadio    *RestoreRadio    `toml:"restore_radio" doc:"switches radios on"`
	SetLevel        *SetLevel        `toml:"set_level" was:"set|to|level" doc:"the level of a sensor's next frame"`
	BreakSensor     *BreakSensor     `toml:"break_sensor" doc:"breaks a sensor"`
	HealSensor      *HealSensor      `toml:"heal_sensor" doc:"heals a broken sensor"`
	AimHead         *AimHead         `toml:"aim_head" was:"aim|pan_deg|tilt_deg" doc:"where a camera's head is to turn"`
	LookAt          *LookAt          `toml:"look_at" was:"point" doc:"the point that a camera's head is to look at"`
	SetHeadMode     *SetHeadMode     `toml:"set_head_mode" was:"gaze|do" doc:"what the controller of a camera's head is to do"`
	Place           *Place           `toml:"place" was:"pose" doc:"puts the ball, a robot or an obstacle somewhere"`
	Hang            *Hang            `toml:"hang" doc:"puts a board somewhere in the air"`
	GameCommand     *GameCommand     `toml:"game_command" doc:"a command of the referee box"`
	Coach           *Coach           `toml:"coach" doc:"what the coach tells one team or both"`
	Pause           *Pause           `toml:"pause" doc:"stops sim time after the present step"`
	Resume          *Resume          `toml:"resume" doc:"lets sim time go on after pause, as programs may ask over a wire"`
	SetSpeed        *SetSpeed        `toml:"set_speed" doc:"how fast the run goes"`
	Record          *Record          `toml:"record" doc:"switches what a recording shows on or off"`
	End             *End             `toml:"end" doc:"ends the run"`
	Reset           *Reset           `toml:"reset" doc:"the world begins again, at time 0"`
	ResetBodies     *ResetBodies     `toml:"reset_bodies" doc:"puts ball, robots and obstacles where they began"`
	SetLight        *SetLight        `toml:"set_light" doc:"dims or colours the hall's light"`
	SetLamp         *SetLamp         `toml:"set_lamp" doc:"moves, dims or colours a lamp near the field"`
	SetBallColor    *SetBallColor    `toml:"set_ball_color" doc:"paints the ball"`
	SetCarpetColor  *SetCarpetColor  `toml:"set_carpet_color" doc:"paints the carpet"`
}

// Action returns the action that is chosen, with its key. It fails unless there is just one.
func (c *Choice) Action() (key string, a Action, err error) {
	value, all, chosen := rules.Chosen(c)
	switch last := len(chosen) - 1; {
	case last < 0:
		return "", nil, errors.New("an event without a name needs one action of " + strings.Join(all, ", "))
	case last > 0:
		return "", nil, fmt.Errorf("has %s and %s: an event needs one action", strings.Join(chosen[:last], ", "),
			chosen[last])
	}
	return chosen[0], value.(Action), nil
}

// Check reports every rule in the tags of an action's fields that it breaks.
func Check(a Action) error {
	switch a.(type) {
	case *Drive, *Dribble:
		return nil // done at every step by many robots, and all their rules are physics.Command's
	}
	return schema.Check(a)
}

// wrong is what Validate reports about a field.
func wrong(key string, value any, err error) error {
	if err == nil {
		return nil
	}
	return &schema.Violation{Key: key, Value: value, Rule: err.Error()}
}
