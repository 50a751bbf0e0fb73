// What is available is declared where it is used.
#pragma once
