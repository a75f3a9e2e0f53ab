package msg

// The structs of this file are those of package simulation_interfaces 2.1. Positions are in metres, in the world frame
// unless a header says otherwise. Velocities are along the axes of that frame, in m/s and rad/s.

// Result is simulation_interfaces/Result. A service may have further codes, above 100.
type Result struct {
	Result       uint8
	ErrorMessage string
}

// Codes of a Result.
const (
	ResultFeatureUnsupported uint8 = 0
	ResultOK                 uint8 = 1
	ResultNotFound           uint8 = 2
	ResultIncorrectState     uint8 = 3
	ResultOperationFailed    uint8 = 4
)

// Codes of single services.
const (
	AlreadyInTargetState  uint8 = 101 // SetSimulationState
	StateTransitionError  uint8 = 102
	IncorrectTransition   uint8 = 103
	EntityInvalidPose     uint8 = 101 // SetEntityState
	SpawnNameNotUnique    uint8 = 101 // SpawnEntity, SpawnResult
	SpawnNameInvalid      uint8 = 102
	SpawnUnsupported      uint8 = 103
	SpawnNoResource       uint8 = 104
	SpawnNamespaceInvalid uint8 = 105
	SpawnInvalidPose      uint8 = 109
	EntitiesSpawnFailed   uint8 = 150 // SpawnEntities
)

// Resource is simulation_interfaces/Resource. ResourceString counts only if the URI is empty.
type Resource struct{ URI, ResourceString string }

// Bounds is simulation_interfaces/Bounds. A box has its upper and its lower corner; a sphere has its centre, and a
// point whose X is the radius.
type Bounds struct {
	Type   uint8
	Points []Vector3
}

// Types of Bounds.
const (
	BoundsEmpty      uint8 = 0
	BoundsBox        uint8 = 1
	BoundsConvexHull uint8 = 2
	BoundsSphere     uint8 = 3
)

// EntityCategory is simulation_interfaces/EntityCategory.
type EntityCategory struct{ Category uint8 }

// Categories of entities.
const (
	CategoryObject        uint8 = 0
	CategoryRobot         uint8 = 1
	CategoryHuman         uint8 = 2
	CategoryDynamicObject uint8 = 4
	CategoryStaticObject  uint8 = 5
)

// TagsFilter is simulation_interfaces/TagsFilter.
type TagsFilter struct {
	Tags       []string
	FilterMode uint8 // FilterAny or FilterAll
}

// Modes of a TagsFilter.
const (
	FilterAny uint8 = 0
	FilterAll uint8 = 1
)

// EntityFilters is simulation_interfaces/EntityFilters. Filter is a regular expression for names, POSIX extended.
type EntityFilters struct {
	Filter     string
	Categories []EntityCategory
	Tags       TagsFilter
	Bounds     Bounds
}

// EntityInfo is simulation_interfaces/EntityInfo.
type EntityInfo struct {
	Category    EntityCategory
	Description string
	Tags        []string
}

// Accel is geometry_msgs/Accel, in m/s² and rad/s².
type Accel struct{ Linear, Angular Vector3 }

// EntityState is simulation_interfaces/EntityState.
type EntityState struct {
	Header       Header
	Pose         Pose
	Twist        Twist
	Acceleration Accel
}

// NamedPose is simulation_interfaces/NamedPose.
type NamedPose struct {
	Name, Description string
	Tags              []string
	Pose              Pose
}

// Spawnable is simulation_interfaces/Spawnable.
type Spawnable struct {
	EntityResource Resource
	Description    string
	SpawnBounds    Bounds
}

// SimulationState is simulation_interfaces/SimulationState.
type SimulationState struct{ State uint8 }

// States of a simulation.
const (
	StateStopped      uint8 = 0
	StatePlaying      uint8 = 1
	StatePaused       uint8 = 2
	StateQuitting     uint8 = 3
	StateNoWorld      uint8 = 4
	StateLoadingWorld uint8 = 5
)

// SimulatorFeatures is simulation_interfaces/SimulatorFeatures.
type SimulatorFeatures struct {
	Features     []uint16
	SpawnFormats []string
	CustomInfo   string
}

// Features of a simulator.
const (
	FeatureSpawning               uint16 = 0
	FeatureDeleting               uint16 = 1
	FeatureNamedPoses             uint16 = 2
	FeaturePoseBounds             uint16 = 3
	FeatureEntityTags             uint16 = 4
	FeatureEntityBounds           uint16 = 5
	FeatureEntityBoundsBox        uint16 = 6
	FeatureEntityBoundsConvex     uint16 = 7
	FeatureEntityCategories       uint16 = 8
	FeatureSpawningResourceString uint16 = 9
	FeatureEntityStateGetting     uint16 = 10
	FeatureEntityStateSetting     uint16 = 11
	FeatureEntityInfoGetting      uint16 = 12
	FeatureEntityInfoSetting      uint16 = 13
	FeatureSpawnables             uint16 = 14
	FeatureReset                  uint16 = 20
	FeatureResetTime              uint16 = 21
	FeatureResetState             uint16 = 22
	FeatureResetSpawned           uint16 = 23
	FeatureStateGetting           uint16 = 24
	FeatureStateSetting           uint16 = 25
	FeatureStatePause             uint16 = 26
	FeatureStepSingle             uint16 = 31
	FeatureStepMultiple           uint16 = 32
	FeatureStepAction             uint16 = 33
	FeatureWorldLoading           uint16 = 40
	FeatureWorldUnloading         uint16 = 43
	FeatureWorldInfoGetting       uint16 = 44
	FeatureAvailableWorlds        uint16 = 45
	FeatureSpawningEntities       uint16 = 50
)

// SpawnEntityRequest is the request of simulation_interfaces/SpawnEntity, and simulation_interfaces/SpawnEntity.
type SpawnEntityRequest struct {
	Name            string
	AllowRenaming   bool
	EntityResource  Resource
	EntityNamespace string
	InitialPose     PoseStamped
}

// SpawnResult is simulation_interfaces/SpawnResult, and the response of simulation_interfaces/SpawnEntity.
type SpawnResult struct {
	Result     Result
	EntityName string
}

// SpawnEntitiesRequest is the request of simulation_interfaces/SpawnEntities.
type SpawnEntitiesRequest struct{ SpawnRequests []SpawnEntityRequest }

// SpawnEntitiesResponse is the response of simulation_interfaces/SpawnEntities.
type SpawnEntitiesResponse struct {
	Result  Result
	Results []SpawnResult
}

// WorldResource is simulation_interfaces/WorldResource.
type WorldResource struct {
	Name          string
	WorldResource Resource
	Description   string
	Tags          []string
}

// EntityRequest is the request of the services of simulation_interfaces about one entity.
type EntityRequest struct{ Entity string }

// FiltersRequest is the request of the services of simulation_interfaces about several entities.
type FiltersRequest struct{ Filters EntityFilters }

// ResultResponse is the response of the services of simulation_interfaces that return nothing else.
type ResultResponse struct{ Result Result }

// GetEntitiesResponse is the response of simulation_interfaces/GetEntities.
type GetEntitiesResponse struct {
	Result   Result
	Entities []string
}

// GetEntitiesStatesResponse is the response of simulation_interfaces/GetEntitiesStates.
type GetEntitiesStatesResponse struct {
	Result   Result
	Entities []string
	States   []EntityState
}

// GetEntityStateResponse is the response of simulation_interfaces/GetEntityState.
type GetEntityStateResponse struct {
	Result Result
	State  EntityState
}

// SetEntityStateRequest is the request of simulation_interfaces/SetEntityState.
type SetEntityStateRequest struct {
	Entity                             string
	State                              EntityState
	SetPose, SetTwist, SetAcceleration bool
}

// GetEntityInfoResponse is the response of simulation_interfaces/GetEntityInfo.
type GetEntityInfoResponse struct {
	Result Result
	Info   EntityInfo
}

// SetEntityInfoRequest is the request of simulation_interfaces/SetEntityInfo.
type SetEntityInfoRequest struct {
	Entity string
	Info   EntityInfo
}

// BoundsResponse is the response of simulation_interfaces/GetEntityBounds and simulation_interfaces/GetNamedPoseBounds.
type BoundsResponse struct {
	Result Result
	Bounds Bounds
}

// GetNamedPosesRequest is the request of simulation_interfaces/GetNamedPoses.
type GetNamedPosesRequest struct{ Tags TagsFilter }

// GetNamedPosesResponse is the response of simulation_interfaces/GetNamedPoses.
type GetNamedPosesResponse struct {
	Result Result
	Poses  []NamedPose
}

// GetNamedPoseBoundsRequest is the request of simulation_interfaces/GetNamedPoseBounds.
type GetNamedPoseBoundsRequest struct{ Name string }

// GetSpawnablesRequest is the request of simulation_interfaces/GetSpawnables.
type GetSpawnablesRequest struct{ Sources []string }

// GetSpawnablesResponse is the response of simulation_interfaces/GetSpawnables.
type GetSpawnablesResponse struct {
	Result     Result
	Spawnables []Spawnable
}

// EmptyRequest is the request of the services of simulation_interfaces that need no arguments.
type EmptyRequest struct{}

// GetSimulationStateResponse is the response of simulation_interfaces/GetSimulationState.
type GetSimulationStateResponse struct {
	State  SimulationState
	Result Result
}

// SetSimulationStateRequest is the request of simulation_interfaces/SetSimulationState.
type SetSimulationStateRequest struct{ State SimulationState }

// ResetSimulationRequest is the request of simulation_interfaces/ResetSimulation.
type ResetSimulationRequest struct{ Scope uint8 }

// Scopes of ResetSimulationRequest, which may be added.
const (
	ScopeDefault uint8 = 0 // everything
	ScopeTime    uint8 = 1
	ScopeState   uint8 = 2
	ScopeSpawned uint8 = 4
	ScopeAll     uint8 = 255
)

// StepSimulationRequest is the request of simulation_interfaces/StepSimulation, and the goal of
// simulation_interfaces/SimulateSteps, whose result is a ResultResponse.
type StepSimulationRequest struct{ Steps uint64 }

// SimulateStepsFeedback is the feedback of simulation_interfaces/SimulateSteps.
type SimulateStepsFeedback struct{ CompletedSteps, RemainingSteps uint64 }

// GetSimulatorFeaturesResponse is the response of simulation_interfaces/GetSimulatorFeatures.
type GetSimulatorFeaturesResponse struct{ Features SimulatorFeatures }

// LoadWorldRequest is the request of simulation_interfaces/LoadWorld.
type LoadWorldRequest struct {
	WorldResource                                              Resource
	FailOnUnsupportedElement, IgnoreMissingOrUnsupportedAssets bool
}

// WorldResponse is the response of simulation_interfaces/LoadWorld and simulation_interfaces/GetCurrentWorld.
type WorldResponse struct {
	Result Result
	World  WorldResource
}

// GetAvailableWorldsRequest is the request of simulation_interfaces/GetAvailableWorlds.
type GetAvailableWorldsRequest struct {
	AdditionalSources            []string
	Filter                       TagsFilter
	OfflineOnly, ContinueOnError bool
}

// GetAvailableWorldsResponse is the response of simulation_interfaces/GetAvailableWorlds.
type GetAvailableWorldsResponse struct {
	Result Result
	Worlds []WorldResource
}
