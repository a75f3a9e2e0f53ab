package action

import (
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

// Action is something that a user can make happen in a running world.
type Action interface {
	// Validate reports, before a run, each field that names something the world does not have, as a schema.Violation
	// with that field's key.
	Validate(w World) error
	// Do carries the action out. It fails, and changes nothing, if the simulation does not have what the action names.
	// The action must satisfy the rules in its fields' tags: see Check.
	Do(s Simulation) error
	// Anytime reports whether any goroutine may call Do at any time. If not, only the goroutine that steps may.
	Anytime() bool
}

// Command is an action that is part of a robot's command. The same step takes all commands that are done together.
type Command interface {
	Action
	// Commands returns the robot's name.
	Commands() string
	// Change changes the robot's command, and reports whether it did.
	Change(c *physics.Command) bool
}

// AsCommand returns the action as a Command, if it is one. A drive for a limited time is none.
func AsCommand(a Action) (Command, bool) {
	if d, ok := a.(*Drive); ok && d.For > 0 {
		return nil, false
	}
	c, ok := a.(Command)
	return c, ok
}

// World is the world that Validate checks actions against.
type World interface {
	// FindRobot fails if there is no such robot.
	FindRobot(name string) (physics.Robot, error)
	// FindNumber fails unless the team has a robot of this number.
	FindNumber(team physics.Team, number int) error
	// FindSensor fails if there is no such sensor. It returns nil for a robot whose model could not be read.
	FindSensor(robot, sensor string) (*sensors.Config, error)
	// FindBody fails unless name is the ball, a robot or an obstacle.
	FindBody(name string) error
	// FindBoard fails unless name is a board.
	FindBoard(name string) error
	// FindAnswers fails unless speed lockstep can wait for the answers of at least one robot.
	FindAnswers() error
	// FindLamp fails unless name is a lamp near the field.
	FindLamp(name string) error
	// FindRadios fails unless a robot with a radio has this name and team; an empty name or team matches any.
	FindRadios(robot string, team physics.Team) error
}

// Simulation carries actions out. Its methods fail for names that nothing in it has.
type Simulation interface {
	Field() *physics.Field
	Robot(name string) (*physics.Robot, error)
	// Robots returns all robots, in the model's order.
	Robots() []physics.Robot
	// Command changes a robot's command from the next step on.
	Command(robot string, change func(*physics.Command)) error
	// Play makes a behaviour play a robot from the next step on. If once, the previous player continues when the
	// behaviour has ended.
	Play(robot string, b player.Behaviour, once bool) error
	// SetBallHandling sets whether a robot may hold and kick the ball, from the next step on.
	SetBallHandling(robot string, enable bool) error
	// SetWired sets whether a robot is connected to its programs.
	SetWired(robot string, wired bool) error
	// SetRadio switches the radio of a robot, or the radios of a team, on or off; an empty name or team matches any. It
	// fails unless there is one.
	SetRadio(robot string, team physics.Team, on bool) error
	// SetLevel sets the level of a sensor's next frame.
	SetLevel(robot, sensor string, level abstraction.Level) error
	// SetFault sets the fault of a sensor from its next frame on; an empty fault heals it.
	SetFault(robot, sensor string, fault sensors.Fault) error
	// Head returns the head of a camera, and the level of the camera's next frame.
	Head(robot, sensor string) (*sensors.Head, abstraction.Level, error)
	// Place moves the ball, a robot or an obstacle to a pose, with a twist in W.
	Place(name string, poseWB spatial.Pose, twistInW spatial.Twist) error
	// Hang moves a board to a pose.
	Hang(board string, poseWB spatial.Pose) error
	// End ends the run after the present step, and SetSpeed sets the run's speed.
	End()
	SetSpeed(speed timesync.Speed) error
	// Record switches the optional part of the run's recording on or off.
	Record(on bool) error
	// GameCommand gives a command of the referee box; number is the robot that the command concerns.
	GameCommand(c game.Command, team physics.Team, number int) error
	// TellTeam sends a team the coach's word.
	TellTeam(team physics.Team, word coach.Word)
	// Clock returns the clock of sim time, which actions pause and resume.
	Clock() *timesync.Clock
	// ResetBodies moves the ball, robots and obstacles to their start poses, at rest.
	ResetBodies() error
	// Restart restarts the world before the next step, with another seed unless seed is nil.
	Restart(seed *uint64) error
	// ChangeLight changes the hall's light, unless change fails.
	ChangeLight(change func(*render.FadingLight) error) error
	PaintBall(color render.Color) error
	PaintCarpet(color render.Color) error
}

// Choice names one action by its key.
type Choice struct {
	Drive           *Drive           `toml:"drive" doc:"makes a robot drive at a velocity, for a limited time or from then on"`
	Follow          *Follow          `toml:"follow" doc:"makes a robot drive along way points once; then its player continues, or it rests"`
	Play            *Play            `toml:"play" doc:"makes a scripted player play a robot; not available over a wire"`
	Dribble         *Dribble         `toml:"dribble" doc:"switches a robot's dribbler on or off"`
	Kick            *Kick            `toml:"kick" doc:"makes a robot kick the ball that it holds"`
	Extend          *Extend          `toml:"extend" doc:"makes a goalkeeper extend itself"`
	SendOff         *SendOff         `toml:"send_off" doc:"parks a robot next to the field"`
	SetBallHandling *SetBallHandling `toml:"set_ball_handling" doc:"sets whether robots may hold and kick the ball, as a referee's stop and start do"`
	CutWires        *CutWires        `toml:"cut_wires" doc:"disconnects a robot from its programs"`
	RestoreWires    *RestoreWires    `toml:"restore_wires" doc:"connects a robot to its programs again"`
	CutRadio        *CutRadio        `toml:"cut_radio" doc:"switches off radios, by which robots talk to their teammates"`
	RestoreRadio    *RestoreRadio    `toml:"restore_radio" doc:"switches radios on again"`
	SetLevel        *SetLevel        `toml:"set_level" was:"set|to|level" doc:"sets the level of a sensor's next frame"`
	BreakSensor     *BreakSensor     `toml:"break_sensor" doc:"breaks a sensor"`
	HealSensor      *HealSensor      `toml:"heal_sensor" doc:"heals a broken sensor"`
	AimHead         *AimHead         `toml:"aim_head" was:"aim|pan_deg|tilt_deg" doc:"turns a camera's head"`
	LookAt          *LookAt          `toml:"look_at" was:"point" doc:"turns a camera's head towards a point"`
	SetHeadMode     *SetHeadMode     `toml:"set_head_mode" was:"gaze|do" doc:"sets the mode of the controller of a camera's head"`
	Place           *Place           `toml:"place" was:"pose" doc:"moves the ball, a robot or an obstacle to a place"`
	Hang            *Hang            `toml:"hang" doc:"moves a board to a place in the air"`
	GameCommand     *GameCommand     `toml:"game_command" doc:"gives a command of the referee box"`
	Coach           *Coach           `toml:"coach" doc:"sends one team or both a message of the coach"`
	Pause           *Pause           `toml:"pause" doc:"stops sim time after the present step"`
	Resume          *Resume          `toml:"resume" doc:"continues sim time after pause; programs may send this over a wire"`
	SetSpeed        *SetSpeed        `toml:"set_speed" doc:"sets the speed of the run"`
	Record          *Record          `toml:"record" doc:"switches the optional part of a recording on or off"`
	End             *End             `toml:"end" doc:"ends the run"`
	Reset           *Reset           `toml:"reset" doc:"restarts the world at time 0"`
	ResetBodies     *ResetBodies     `toml:"reset_bodies" doc:"moves ball, robots and obstacles to their start poses"`
	SetLight        *SetLight        `toml:"set_light" doc:"changes the brightness or colour of the hall's light"`
	SetLamp         *SetLamp         `toml:"set_lamp" doc:"moves a lamp near the field, or changes its brightness or colour"`
	SetBallColor    *SetBallColor    `toml:"set_ball_color" doc:"changes the ball's colour"`
	SetCarpetColor  *SetCarpetColor  `toml:"set_carpet_color" doc:"changes the carpet's colour"`
}

// Action returns the action and its key. It fails unless just one is named.
func (c *Choice) Action() (key string, a Action, err error) {
	key, value, err := rules.One(c, "an event without a name needs one action of", "an event needs one action")
	if err != nil {
		return "", nil, err
	}
	return key, value.(Action), nil
}

// Check reports every rule in the tags of an action's fields that the action breaks.
func Check(a Action) error {
	switch a.(type) {
	case *Drive, *Dribble:
		return nil // many robots do this in every step, and all its rules are those of physics.Command
	}
	return schema.Check(a)
}

// violation returns the violation that Validate reports for a field.
func violation(key string, value any, err error) error {
	if err == nil {
		return nil
	}
	return &schema.Violation{Key: key, Value: value, Rule: err.Error()}
}
