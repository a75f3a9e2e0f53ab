package recorder

// Topics of every recording.
const (
	Episodes  = "/omnipitch/episodes"
	Commands  = "/omnipitch/commands"
	Inputs    = "/omnipitch/inputs"
	Truth     = "/omnipitch/truth"
	Touches   = "/omnipitch/touches"
	Levels    = "/omnipitch/levels"
	Game      = "/omnipitch/game"
	Verdicts  = "/omnipitch/verdicts"
	Decisions = "/omnipitch/decisions"
	Hashes    = "/omnipitch/hashes" // of steps without exact states
	Switches  = "/omnipitch/recording"
)

// Topics of a recording with exact states.
const (
	States    = "/omnipitch/states"
	KeyFrames = "/omnipitch/key_frames"
)

// Keys of a recording's metadata. The attachments are the files of the world, as worlds.Bundle returns them.
const (
	Version        = "version"
	Seed           = "seed"
	WorldName      = "world"
	Referee        = "referee" // of the world; missing if it is off
	Machine        = "machine" // processor architecture and operating system: equal machines compute equal states
	Renderer       = "renderer"
	InstructionSet = "instruction_set"
	Begun          = "begun" // BegunLate if the recording began during its run; else missing
)

// BegunLate is the value of the key Begun in a recording that lacks the inputs before its first key frame.
const BegunLate = "late"
