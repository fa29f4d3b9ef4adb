package synthetic

var limitPlants, countPlants, placementPlants, preemptionPlants, guaranteePlants, starvationPlants, nodePlants, configPlants, recordPlants, legalPlants []Plant
