package msg

// The messages of recordings, omnipitch_msgs: their definitions say what the fields hold.

// Command is omnipitch_msgs/Command.
type Command struct {
	Number, Step             uint64
	Moment                   uint8
	Robot                    string
	VX, VY, Omega            float64
	Dribble                  bool
	Reach, ReachAngle        float64
	Kick                     uint8
	KickSpeed, KickElevation float64
	KickFlight               float64
	KickAbsolute             bool
	KickReach                float64
	KickReachAngle           float64
	Extend                   uint8
}

// Input is omnipitch_msgs/Input.
type Input struct {
	Number, Step     uint64
	Moment           uint8
	Kind, Name, Data string
}

// Body is omnipitch_msgs/Body.
type Body struct {
	Name  string
	Pose  Pose
	Twist Twist
}

// Truth is omnipitch_msgs/Truth.
type Truth struct {
	Header Header
	Step   uint64
	HeldBy string
	Bodies []Body
}

// Touch is omnipitch_msgs/Touch.
type Touch struct {
	Header           Header
	Step             uint64
	Kind, A, B       string
	Position         Point
	Impulse, Closing float64
}

// Level is omnipitch_msgs/Level.
type Level struct {
	Header               Header
	Robot, Sensor, Level string
	Frame                uint64
}

// Game is omnipitch_msgs/Game.
type Game struct {
	Header                      Header
	Phase, Half, SetPiece, Team string
	Cyan, Magenta               uint32
}

// Verdict is omnipitch_msgs/Verdict.
type Verdict struct {
	Header                              Header
	Expectation, Outcome, Expected, Was string
}

// Decision is omnipitch_msgs/Decision.
type Decision struct {
	Header        Header
	Step          uint64
	Rule, Reason  string
	Place         Point
	Against       string
	Robots        []string
	Goal, Command string
	Team          string
	Ball          Point
	Basis         []Quantity
}

// Quantity is omnipitch_msgs/Quantity.
type Quantity struct {
	Name  string
	Value float64
	Unit  string
	Limit float64
}

// Recording is omnipitch_msgs/Recording.
type Recording struct {
	Header        Header
	Active, Exact bool
}

// Hashes is omnipitch_msgs/Hashes.
type Hashes struct {
	Episode uint32
	First   uint64
	Hashes  []uint64
}

// Exact is omnipitch_msgs/Exact.
type Exact struct {
	Episode     uint32
	First, Last uint64
	Data        []byte
}

// KeyFrame is omnipitch_msgs/KeyFrame.
type KeyFrame struct {
	Episode      uint32
	Step, Inputs uint64
	Data         []byte
}

// Episode is omnipitch_msgs/Episode.
type Episode struct {
	Header  Header
	Episode uint32
	Seed    uint64
}
